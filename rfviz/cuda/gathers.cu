// Features that pick a few inputs: no matrix product, so that memory is what limits them. REAL is float or double.
//
// Neighbouring threads have neighbouring features, whose outputs lie side by side; each does several rows, for which it
// reads the feature's own numbers once.

#define ROWS 8

// Row i of those that a thread does, of which there may be fewer; unrolled, so that sums stay in registers.
#define FOR_OWN_ROWS(i, count) _Pragma("unroll") for (int i = 0; i < ROWS; ++i) if (i < (count))

// Feature `f` of the rows `first` to `last`, for every group of ROWS rows.
#define FOR_FEATURES_AND_ROWS(features, rows)                                                                     \
    for (long long f = (long long)blockIdx.x * blockDim.x + threadIdx.x; f < (features);                          \
         f += (long long)gridDim.x * blockDim.x)                                                                  \
        for (long long first = ((long long)blockIdx.y * blockDim.y + threadIdx.y) * ROWS,                         \
                       last = first + ROWS < (rows) ? first + ROWS : (rows);                                      \
             first < (rows);                                                                                      \
             first += (long long)gridDim.y * blockDim.y * ROWS,                                                   \
                       last = first + ROWS < (rows) ? first + ROWS : (rows))

extern "C" __global__ void stumps(const REAL* X, long long ld, long long rows, const int* columns,
                                  const REAL* thresholds, long long features, REAL scale, REAL* out, long long ld_out)
{
    FOR_FEATURES_AND_ROWS(features, rows) {
        const REAL* column = X + columns[f];
        const REAL threshold = thresholds[f];
        const int count = (int)(last - first);
        FOR_OWN_ROWS(i, count)
            out[(first + i) * ld_out + f] = column[(first + i) * ld] >= threshold ? scale : -scale;
    }
}

// The samples of a table's row that a thread does: read 16 bytes at a time, since it is the number of reads that counts.
struct alignas(16) Samples { REAL of[ROWS]; };

// Cosines of sums of a few angles, times exponentials of sums of logarithms where there are any. The tables have one
// row an input, samples side by side, rounded up to a multiple of ROWS; entries of feature f are those from ends[f] to
// ends[f + 1].
extern "C" __global__ void cosine_sums(const REAL* angles, const REAL* logs, long long ld, long long rows,
                                       const int* ends, const int* columns, const REAL* multiples, const int* log_ends,
                                       const int* log_columns, const REAL* powers, const REAL* biases,
                                       const REAL* amplitudes, long long features, long long with_logs, REAL* out,
                                       long long ld_out)
{
    FOR_FEATURES_AND_ROWS(features, rows) {
        const int count = (int)(last - first);
        REAL sums[ROWS];
        FOR_OWN_ROWS(i, count) sums[i] = (REAL)0;
        for (int e = ends[f]; e < ends[f + 1]; ++e) {
            const Samples angle = *(const Samples*)(angles + columns[e] * ld + first);
            const REAL multiple = multiples[e];
            FOR_OWN_ROWS(i, count) sums[i] += multiple * angle.of[i];
        }
        FOR_OWN_ROWS(i, count) sums[i] = amplitudes[f] * cos(sums[i] + biases[f]);
        if (with_logs) {
            REAL exponents[ROWS];
            FOR_OWN_ROWS(i, count) exponents[i] = (REAL)0;
            for (int e = log_ends[f]; e < log_ends[f + 1]; ++e) {
                const Samples log = *(const Samples*)(logs + log_columns[e] * ld + first);
                const REAL power = powers[e];
                FOR_OWN_ROWS(i, count) exponents[i] += power * log.of[i];
            }
            FOR_OWN_ROWS(i, count) sums[i] *= exp(exponents[i]);
        }
        FOR_OWN_ROWS(i, count) out[(first + i) * ld_out + f] = sums[i];
    }
}

// The codes of the boxes that rows are in. A box must be the same on every machine: products and differences are
// rounded one by one, never fused, and the sum of the code wraps around.
__device__ inline void box_codes(const double* X, long long ld, long long dimensions, const double* rates,
                                 const double* offsets, const long long* multipliers, long long grids, long long grid,
                                 long long first, int count, unsigned long long* codes)
{
    const double farthest = 4611686018427387904.0;  // 2^62: a farther bin has the bits of its floating-point number
    FOR_OWN_ROWS(i, count) codes[i] = 0;
    for (long long j = 0; j < dimensions; ++j) {
        const double rate = rates[j * grids + grid], offset = offsets[j * grids + grid];
        const unsigned long long multiplier = (unsigned long long)multipliers[j];
        FOR_OWN_ROWS(i, count) {
            const double place = ceil(__dsub_rn(__dmul_rn(rate, X[(first + i) * ld + j]), offset));
            long long number;
            if (fabs(place) < farthest) number = (long long)place;
            else number = place < 0.0 ? -__double_as_longlong(-place) : __double_as_longlong(place);
            codes[i] += multiplier * (unsigned long long)number;
        }
    }
}

// Codes of shape (grids, rows); rates and offsets of shape (dimensions, grids).
extern "C" __global__ void bin_codes(const double* X, long long ld, long long rows, long long dimensions,
                                     const double* rates, const double* offsets, const long long* multipliers,
                                     long long grids, long long* out)
{
    FOR_FEATURES_AND_ROWS(grids, rows) {
        unsigned long long codes[ROWS];
        const int count = (int)(last - first);
        box_codes(X, ld, dimensions, rates, offsets, multipliers, grids, f, first, count, codes);
        FOR_OWN_ROWS(i, count) out[f * rows + first + i] = (long long)codes[i];
    }
}

// The columns of the boxes, of shape (rows, grids), -1 where a box is not known; `bins` rise between two `ends`.
extern "C" __global__ void bin_columns(const double* X, long long ld, long long rows, long long dimensions,
                                       const double* rates, const double* offsets, const long long* multipliers,
                                       long long grids, const long long* bins, const long long* ends, long long* out)
{
    FOR_FEATURES_AND_ROWS(grids, rows) {
        unsigned long long codes[ROWS];
        const int count = (int)(last - first);
        box_codes(X, ld, dimensions, rates, offsets, multipliers, grids, f, first, count, codes);
        FOR_OWN_ROWS(i, count) {
            const long long code = (long long)codes[i];
            long long low = ends[f], high = ends[f + 1];
            while (low < high) {
                const long long middle = low + (high - low) / 2;
                if (bins[middle] < code) low = middle + 1;
                else high = middle;
            }
            out[(first + i) * grids + f] = low < ends[f + 1] && bins[low] == code ? low : -1;
        }
    }
}
