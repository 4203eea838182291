// vectors.cpp -- calls SeeDot's own library (EdgeML, tools/SeeDot/seedot/Predictor): a case a line of standard input,
// its result a line of standard output.  Built by vectors.py, beside that library, which is not here.
//
// A case: NAME BITS-OF-A BITS-OF-B BITS-OF-RESULT N PARAMETERS.. N NUMBERS-OF-A.. N NUMBERS-OF-B..
// Names that begin with "narrow_" are the functions of 16 bits of library_fixed.cpp, the others templates.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>
using std::exp;
#include "datatypes.h"
#include "library_fixed.h"

typedef std::vector<int64_t> numbers;

struct given {
	std::string name;
	int bits_a, bits_b, bits_out;
	numbers p, a, b;
};

template<class T> static std::vector<T> as(const numbers &x)
{
	std::vector<T> out(x.begin(), x.end());
	out.resize(out.size() + 8);             // some functions take one more
	return out;
}

template<class T> static void say(const std::vector<T> &x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		std::cout << (i ? " " : "") << (int64_t)x[i];
	std::cout << "\n";
}

static size_t count(const numbers &p, std::initializer_list<int> at)
{
	size_t n = 1;
	for (int i : at)
		n *= (size_t)p[i];
	return n;
}

// Rows and non-zero columns of a dense matrix, column after column, as the library has them.
static void sparse(const given &g, std::vector<MYITE> &at, numbers &value)
{
	for (int64_t k = 0; k < g.p[1]; k++) {
		for (int64_t i = 0; i < g.p[0]; i++)
			if (g.a[i * g.p[1] + k]) {
				at.push_back((MYITE)(i + 1));
				value.push_back(g.a[i * g.p[1] + k]);
			}
		at.push_back(0);
	}
}

template<class A, class B, class T, class C> static void pair(const given &g)
{
	const numbers &p = g.p;
	std::vector<A> a = as<A>(g.a);
	std::vector<B> b = as<B>(g.b);
	if (g.name == "matmul") {               // i k j shrA shrB H1 H2 demote
		std::vector<C> c(count(p, { 0, 2 }));
		std::vector<T> t(p[1] + 8);
		MatMulNN<A, B, T, C>(a.data(), b.data(), c.data(), t.data(), p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]);
		say(c, c.size());
	} else if (g.name == "sparse") {        // i k shrA shrB shrC demote
		std::vector<C> c(p[0]);
		std::vector<MYITE> at;
		numbers v;
		sparse(g, at, v);
		std::vector<A> values = as<A>(v);
		SparseMatMul<A, MYITE, B, T, C>(at.data(), values.data(), b.data(), c.data(), p[1], p[2], p[3], p[4], p[5]);
		say(c, c.size());
	} else if (g.name == "conv2d") {
		// n h w cin hf wf cinf coutf hout wout; pads 4, strides 2, dilations 2, groups; shrA shrB H1 H2 demote
		std::vector<C> c(count(p, { 0, 8, 9, 7, 18 }));
		std::vector<T> t(p[4] * p[5] * p[6] + 8);
		Convolution<A, B, T, C>(a.data(), b.data(), c.data(), t.data(), p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7],
			p[8], p[9], p[10], p[11], p[12], p[13], p[14], p[15], p[16], p[17], p[18], p[19], p[20], p[21], p[22], p[23]);
		say(c, c.size());
	} else if (g.name == "times" || g.name == "scalar") {  // i j shrA shrB demote
		std::vector<C> c(count(p, { 0, 1 }));
		if (g.name == "times")
			MulCir<A, B, T, C>(a.data(), b.data(), c.data(), p[0], p[1], p[2], p[3], p[4]);
		else
			ScalarMul<A, B, T, C>(a.data(), b.data(), c.data(), p[0], p[1], p[2], p[3], p[4]);
		say(c, c.size());
	} else {
		std::exit(3);
	}
}

// Sums keep their terms in the widest of the three.
template<class A, class B, class T, class C> static void sum(const given &g)
{
	const numbers &p = g.p;                 // i j shrA shrB shrC demote
	std::vector<A> a = as<A>(g.a);
	std::vector<B> b = as<B>(g.b);
	std::vector<C> c(count(p, { 0, 1 }));
	if (g.name == "add")
		MatAddNN<A, B, T, C>(a.data(), b.data(), c.data(), p[0], p[1], p[2], p[3], p[4], p[5]);
	else if (g.name == "sub")
		MatSub<A, B, T, C>(a.data(), b.data(), c.data(), p[0], p[1], p[2], p[3], p[4], p[5]);
	else if (g.name == "add_number")
		MatAddBroadCastA<A, B, T, C>(a.data(), b.data(), c.data(), p[0], p[1], p[2], p[3], p[4], p[5]);
	else if (g.name == "add_last")
		AddOrSubCir2D<A, B, T, C>(a.data(), b.data(), c.data(), p[0], p[1], p[2], p[3], p[4], true, p[5]);
	else
		AddOrSubCir4D<A, B, T, C>(a.data(), b.data(), c.data(), 1, 1, p[0], p[1], p[2], p[3], p[4], false, p[5]);
	say(c, c.size());
}

template<class A> static void one(const given &g)
{
	const numbers &p = g.p;
	std::vector<A> a = as<A>(g.a), c(g.a.size() + 8);
	const MYITE n = (MYITE)g.a.size();
	size_t made = g.a.size();
	if (g.name == "relu") {
		Relu2D<A>(a.data(), 1, n);
		c = a;
	} else if (g.name == "relu6") {         // six
		Relu6<A, A>(a.data(), c.data(), 1, 1, 1, n, p[0], 1);
	} else if (g.name == "maxpool") {       // h w c k
		made = (p[0] / p[3]) * (p[1] / p[3]) * p[2];
		Maxpool<A, A>(a.data(), c.data(), 1, p[0], p[1], p[2], p[3], p[3], p[3], p[3], 0, 0, 0, 0, 1);
	} else if (g.name == "normalise") {     // pixels channels scale half
		NormaliseL2<A>(a.data(), c.data(), 1, 1, p[0], p[1], p[2], p[3]);
	} else if (g.name == "argmax") {
		int at;
		ArgMax<A>(a.data(), 1, n, &at);
		c[0] = (A)at;
		made = 1;
	} else if (g.name == "reverse") {       // axis i j
		Reverse2<A>(a.data(), p[0], p[1], p[2], c.data());
	} else if (g.name == "transpose") {     // of the result
		Transpose<A>(a.data(), c.data(), p[0], p[1]);
	} else if (g.name == "shift_right") {
		AdjustScaleShr<A>(a.data(), 1, n, p[0]);
		c = a;
	} else if (g.name == "shift_left") {
		AdjustScaleShl<A>(a.data(), 1, n, p[0]);
		c = a;
	} else if (g.name == "shift_left_cut") {
		AdjustScaleShlSaturate<A>(a.data(), 1, n, p[0], p[1]);
		c = a;
	} else {
		std::exit(3);
	}
	say(c, made);
}

static void function(const given &g)
{
	std::vector<int16_t> a = as<int16_t>(g.a), c(g.a.size() + 8);
	std::vector<int8_t> a8 = as<int8_t>(g.a), c8(g.a.size() + 8);
	const MYITE n = (MYITE)g.a.size();
	if (g.bits_a == 8) {
		if (g.name == "exp")
			ExpNew8<int8_t>(a8.data(), 1, n, 1, c8.data());
		else if (g.name == "sigmoid")
			SigmoidNew8<0>(a8.data(), 1, n, c8.data());
		else
			TanHNew8<0>(a8.data(), 1, n, c8.data());
		say(c8, g.a.size());
		return;
	}
	if (g.name == "exp")
		ExpNew16<int16_t>(a.data(), 1, n, 1, c.data());
	else if (g.name == "sigmoid")
		SigmoidNew16<0>(a.data(), 1, n, c.data());
	else
		TanHNew16<0>(a.data(), 1, n, c.data());
	say(c, g.a.size());
}

static void narrow(const given &g)
{
	const numbers &p = g.p;
	std::vector<MYINT> a = as<MYINT>(g.a), b = as<MYINT>(g.b), c(4096), t(4096);
	size_t made = 0;
	if (g.name == "narrow_matmul") {
		MatMulNN(a.data(), b.data(), c.data(), t.data(), p[0], p[1], p[2], p[3], p[4], p[5], p[6]);
		made = count(p, { 0, 2 });
	} else if (g.name == "narrow_conv2d") {
		Convolution(a.data(), b.data(), c.data(), t.data(), p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9],
			p[10], p[11], p[12], p[13], p[14], p[15], p[16], p[17], p[18], p[19], p[20], p[21], p[22]);
		made = count(p, { 0, 8, 9, 7, 18 });
	} else if (g.name == "narrow_sparse") {
		std::vector<MYITE> at;
		numbers v;
		sparse(g, at, v);
		std::vector<MYINT> values = as<MYINT>(v);
		SparseMatMul(at.data(), values.data(), b.data(), c.data(), p[1], p[2], p[3], p[4]);
		made = p[0];
	} else if (g.name == "narrow_times") {
		MulCir(a.data(), b.data(), c.data(), p[0], p[1], p[2], p[3]);
		made = count(p, { 0, 1 });
	} else if (g.name == "narrow_scalar") {
		ScalarMul(a.data(), b.data(), c.data(), p[0], p[1], p[2], p[3]);
		made = count(p, { 0, 1 });
	} else if (g.name == "narrow_add") {
		MatAddNN(a.data(), b.data(), c.data(), p[0], p[1], p[2], p[3], p[4]);
		made = count(p, { 0, 1 });
	} else if (g.name == "narrow_sub") {
		MatSub(a.data(), b.data(), c.data(), p[0], p[1], p[2], p[3], p[4]);
		made = count(p, { 0, 1 });
	} else if (g.name == "narrow_tanh") {   // one at the scale of x, twice
		TanH(a.data(), 1, (MYITE)g.a.size(), p[0], p[0], c.data());
		made = g.a.size();
	} else if (g.name == "narrow_sigmoid") { // div add limit scale_in scale_out
		Sigmoid(a.data(), 1, (MYITE)g.a.size(), p[0], p[1], p[2], p[3], p[4], c.data());
		made = g.a.size();
	} else {
		std::exit(3);
	}
	say(c, made);
}

// a: the image, then T of three stages f, weights and biases; of 16 bits, kept in 32.
static void mbconv(const given &g)
{
	// n h w cin ct hf wf cout hout wout, pads 4, strides 2, D1 D2 D3, SIX_1 SIX_2, shr 9, shl 9, sizes of the ten
	const numbers &p = g.p;
	std::vector<int16_t> part[10];
	size_t from = 0;
	for (int i = 0; i < 10; i++) {
		part[i] = as<int16_t>(numbers(g.a.begin() + from, g.a.begin() + from + p[39 + i]));
		from += p[39 + i];
	}
	std::vector<int16_t> c(count(p, { 0, 8, 9, 7 })), x(p[5] * p[2] * p[4] + 8), t(p[4] + 8);
	std::vector<int32_t> u(256);
	MBConv<int16_t, int16_t, int16_t, int16_t, int16_t, int16_t, int16_t, int16_t, int16_t, int16_t, int16_t, int16_t,
		int16_t, int32_t, int32_t, int32_t, int32_t>(part[0].data(), part[1].data(), part[2].data(), part[3].data(),
		part[4].data(), part[5].data(), part[6].data(), part[7].data(), part[8].data(), part[9].data(), c.data(), x.data(),
		t.data(), u.data(), p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11], p[12], p[13], p[14],
		p[15], p[16], p[17], p[18], p[19], p[20], p[21], p[22], p[23], p[24], p[25], p[26], p[27], p[28], p[29], p[30],
		p[31], p[32], p[33], p[34], p[35], p[36], p[37], p[38]);
	say(c, c.size());
}

static numbers read(std::istream &in)
{
	size_t n;
	in >> n;
	numbers out(n);
	for (int64_t &x : out)
		in >> x;
	return out;
}

int main()
{
	std::string line;
	while (std::getline(std::cin, line)) {
		std::istringstream in(line);
		given g;
		in >> g.name >> g.bits_a >> g.bits_b >> g.bits_out;
		g.p = read(in);
		g.a = read(in);
		g.b = read(in);
		const int key = g.bits_a * 10000 + g.bits_b * 100 + g.bits_out;
		const bool sums = g.name.compare(0, 3, "add") == 0 || g.name.compare(0, 3, "sub") == 0;
		if (g.name.compare(0, 7, "narrow_") == 0)
			narrow(g);
		else if (g.name == "mbconv")
			mbconv(g);
		else if (g.name == "exp" || g.name == "sigmoid" || g.name == "tanh")
			function(g);
		else if (!g.bits_b && g.bits_a == 8)
			one<int8_t>(g);
		else if (!g.bits_b)
			one<int16_t>(g);
		else if (key == 80808)
			sums ? sum<int8_t, int8_t, int8_t, int8_t>(g) : pair<int8_t, int8_t, int16_t, int8_t>(g);
		else if (key == 80816)
			sums ? sum<int8_t, int8_t, int16_t, int16_t>(g) : pair<int8_t, int8_t, int16_t, int16_t>(g);
		else if (key == 81608)
			sums ? sum<int8_t, int16_t, int16_t, int8_t>(g) : pair<int8_t, int16_t, int32_t, int8_t>(g);
		else if (key == 81616)
			sums ? sum<int8_t, int16_t, int16_t, int16_t>(g) : pair<int8_t, int16_t, int32_t, int16_t>(g);
		else if (key == 160808)
			sums ? sum<int16_t, int8_t, int16_t, int8_t>(g) : pair<int16_t, int8_t, int32_t, int8_t>(g);
		else if (key == 160816)
			sums ? sum<int16_t, int8_t, int16_t, int16_t>(g) : pair<int16_t, int8_t, int32_t, int16_t>(g);
		else if (key == 161608)
			sums ? sum<int16_t, int16_t, int16_t, int8_t>(g) : pair<int16_t, int16_t, int32_t, int8_t>(g);
		else
			sums ? sum<int16_t, int16_t, int16_t, int16_t>(g) : pair<int16_t, int16_t, int32_t, int16_t>(g);
	}
	return 0;
}
