// What is done to a block of matrix products, in one pass over it. REAL is float or double.
//
// Arrays are rows of REAL, `ld` numbers from one row to the next. Every thread does several elements, so that any grid
// is right. NaN goes in and NaN comes out. The functions are the accurate ones: a fast cosine is wrong for phases
// beyond a few turns.

// Every element of a block of `rows` x `columns`, whatever the grid. Neighbouring threads have neighbouring columns.
// Unrolled, the loop over the rows begins with a division of 64 bits in every thread, which costs more than the rest.
#define FOR_EACH(rows, columns)                                                                                      \
    _Pragma("unroll 1")                                                                                              \
    for (long long column = (long long)blockIdx.x * blockDim.x + threadIdx.x; column < (columns);                    \
         column += (long long)gridDim.x * blockDim.x)                                                                \
        _Pragma("unroll 1")                                                                                          \
        for (long long row = (long long)blockIdx.y * blockDim.y + threadIdx.y; row < (rows);                         \
             row += (long long)gridDim.y * blockDim.y)

__device__ inline void sine_and_cosine(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
__device__ inline void sine_and_cosine(double x, double* sine, double* cosine) { sincos(x, sine, cosine); }

extern "C" __global__ void cosine(REAL* values, long long ld, long long rows, long long columns, const REAL* phases,
                                  REAL scale)
{
    FOR_EACH(rows, columns) {
        REAL* value = values + row * ld + column;
        *value = scale * cos(*value + phases[column]);
    }
}

// Column c of the angles becomes columns 2c (cosine) and 2c + 1 (sine), the last of which may not exist.
extern "C" __global__ void cosine_sine(const REAL* angles, long long ld, long long rows, long long columns, REAL scale,
                                       REAL* out, long long ld_out, long long width)
{
    FOR_EACH(rows, columns) {
        REAL sine, cosine;
        sine_and_cosine(angles[row * ld + column], &sine, &cosine);
        REAL* pair = out + row * ld_out + 2 * column;
        pair[0] = scale * cosine;
        if (2 * column + 1 < width) pair[1] = scale * sine;
    }
}

extern "C" __global__ void relu(REAL* values, long long ld, long long rows, long long columns, REAL scale)
{
    FOR_EACH(rows, columns) {
        REAL* value = values + row * ld + column;
        *value = *value < (REAL)0 ? (REAL)0 : *value * scale;
    }
}

// kind 0: error function; 1: hyperbolic tangent; 2: logistic function, as 1/2 + tanh(z/2)/2, which does not overflow.
extern "C" __global__ void sigmoid(REAL* values, long long ld, long long rows, long long columns, const REAL* biases,
                                   long long biased, long long kind, REAL scale)
{
    FOR_EACH(rows, columns) {
        REAL* value = values + row * ld + column;
        const REAL z = biased ? *value + biases[column] : *value;
        if (kind == 0) *value = scale * erf(z);
        else if (kind == 1) *value = scale * tanh(z);
        else *value = scale * (REAL)0.5 * ((REAL)1 + tanh((REAL)0.5 * z));
    }
}

// The largest of every `pool` products that stand side by side.
extern "C" __global__ void group_max(const REAL* products, long long ld, long long rows, long long columns,
                                     long long pool, REAL* out, long long ld_out)
{
    FOR_EACH(rows, columns) {
        const REAL* group = products + row * ld + column * pool;
        REAL best = group[0];
        for (long long member = 1; member < pool; ++member) {
            const REAL other = group[member];
            best = other > best || other != other ? other : best;
        }
        out[row * ld_out + column] = best;
    }
}

// The largest of the `pool` products that a feature picks; indices of shape (pool, columns).
extern "C" __global__ void pool_max(const REAL* products, long long ld, long long rows, long long columns,
                                    long long pool, const int* indices, REAL* out, long long ld_out)
{
    FOR_EACH(rows, columns) {
        const REAL* own = products + row * ld;
        REAL best = own[indices[column]];
        for (long long member = 1; member < pool; ++member) {
            const REAL other = own[indices[member * columns + column]];
            best = other > best || other != other ? other : best;
        }
        out[row * ld_out + column] = best;
    }
}

// Reads of a lane that wait for memory together.
#define READS 4

// The sum of max(0, value) over every `positions` values that stand side by side, times `factor`. That of group i of row
// f goes to row i and column columns[f]. 2^bits lanes of a warp share a group, and read it side by side. `threads` are
// those of all groups of a row, and as many more as fill the last warp: all lanes take part in the sum. Blocks must be a
// multiple of a warp wide.
extern "C" __global__ void mean_of_positive(const REAL* values, long long ld, long long rows, long long threads,
                                            long long groups, int positions, int bits, const long long* columns,
                                            REAL factor, REAL* out, long long ld_out)
{
    const int lanes = 1 << bits;
    FOR_EACH(rows, threads) {
        const long long group = column >> bits;  // a division of 64 bits would cost as much as the sum
        const int lane = (int)column & (lanes - 1), end = group < groups ? positions : 0;
        const REAL* next = values + row * ld + group * positions + lane;
        REAL sum = (REAL)0;
        _Pragma("unroll 1")
        for (int left = end - lane; left > 0; left -= READS * lanes, next += READS * lanes) {
            REAL read[READS];
            _Pragma("unroll")
            for (int i = 0; i < READS; ++i) read[i] = i * lanes < left ? next[i * lanes] : (REAL)0;
            _Pragma("unroll")
            for (int i = 0; i < READS; ++i) sum += read[i] < (REAL)0 ? (REAL)0 : read[i];
        }
        // A lane that has no partner within its group adds something of another, and is not asked.
        _Pragma("unroll 1")
        for (int other = lanes / 2; other > 0; other /= 2) sum += __shfl_down_sync(0xffffffffu, sum, other);
        if (lane == 0 && end > 0) out[group * ld_out + columns[row]] = factor * sum;
    }
}
