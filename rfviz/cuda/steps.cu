// Steps of gradient descent: every weight, and every row, by itself, so that one pass is enough. REAL is float or double.

// AdaGrad on the mean gradient of `rows` rows and the penalty, and the average of the weights on their way.
extern "C" __global__ void adagrad(REAL* weights, REAL* squares, REAL* averages, const REAL* gradients, long long size,
                                   REAL rows, REAL alpha, REAL rate, REAL share)
{
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < size;
         i += (long long)gridDim.x * blockDim.x) {
        const REAL gradient = gradients[i] / rows + alpha * weights[i];
        const REAL square = squares[i] + gradient * gradient;
        const REAL weight = weights[i] - rate * (gradient / (sqrt(square) + (REAL)1e-12));
        squares[i] = square;
        weights[i] = weight;
        averages[i] += share * (weight - averages[i]);
    }
}

// The logistic loss of each row and its derivative by the row's scores, one for each class.
extern "C" __global__ void softmax_loss(REAL* gradients, REAL* losses, const REAL* scores, const long long* labels,
                                        long long rows, long long classes)
{
    for (long long row = (long long)blockIdx.x * blockDim.x + threadIdx.x; row < rows;
         row += (long long)gridDim.x * blockDim.x) {
        const REAL* own = scores + row * classes;
        REAL largest = own[0], total = (REAL)0;
        for (long long j = 1; j < classes; ++j) largest = own[j] > largest ? own[j] : largest;
        for (long long j = 0; j < classes; ++j) total += exp(own[j] - largest);
        losses[row] = log(total) - (own[labels[row]] - largest);
        for (long long j = 0; j < classes; ++j)
            gradients[row * classes + j] = exp(own[j] - largest) / total - (REAL)(j == labels[row]);
    }
}
