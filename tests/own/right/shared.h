#define BY 3
static float times(float x) { return x * BY; }
