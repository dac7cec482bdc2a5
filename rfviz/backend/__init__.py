"""Arrays and computation: devices, memory, precision, threads, streams to a GPU, and rates."""

from typing import TYPE_CHECKING

from rfviz._lazy import import_when_asked

if TYPE_CHECKING:
    from rfviz.backend.devices import (
        Device,
        array_namespace,
        available_devices,
        device_of,
        get_device,
        give_up_gpus,
        gpu_status,
        is_device_failure,
        is_device_lost,
        look_for_gpus_again,
        reason_given_up,
        special_functions,
        to_host,
        using,
    )
    from rfviz.backend.lapack import inner_products
    from rfviz.backend.memory import (
        block_share,
        check_memory,
        gigabytes,
        is_out_of_memory,
        memory_budget,
        return_free_memory,
        smaller_blocks,
    )
    from rfviz.backend.precision import PRODUCT_PRECISIONS, matmul, product_precision, round_to_tf32, wanted_precision
    from rfviz.backend.rates import Rates, Stopwatch, get_rates, known_rates, measure_rates, remember_rates
    from rfviz.backend.streams import RowStream, stream_blocks
    from rfviz.backend.threads import blas_info, core_count, map_ordered, over_rows, single_threaded_blas, worker_count

__all__ = [
    "PRODUCT_PRECISIONS",
    "Device",
    "Rates",
    "RowStream",
    "Stopwatch",
    "array_namespace",
    "available_devices",
    "blas_info",
    "block_share",
    "check_memory",
    "core_count",
    "device_of",
    "get_device",
    "get_rates",
    "gigabytes",
    "give_up_gpus",
    "gpu_status",
    "inner_products",
    "is_device_failure",
    "is_device_lost",
    "is_out_of_memory",
    "known_rates",
    "look_for_gpus_again",
    "map_ordered",
    "matmul",
    "measure_rates",
    "memory_budget",
    "over_rows",
    "product_precision",
    "reason_given_up",
    "remember_rates",
    "return_free_memory",
    "round_to_tf32",
    "single_threaded_blas",
    "smaller_blocks",
    "special_functions",
    "stream_blocks",
    "to_host",
    "using",
    "wanted_precision",
    "worker_count",
]

import_when_asked(__name__)
