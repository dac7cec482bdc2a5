"""The faults, by the part of the code that they are in."""

from typing import NamedTuple


class Fault(NamedTuple):
    """One wrong edit, and the tests that must notice it.

    Attributes
    ----------
    name : str
    file : str
        Path from the root of the repository.
    before, after : str
        A text that occurs once in the file, and what takes its place.
    tests : tuple of str
        Files or node ids for pytest: as few as needed.
    """

    name: str
    file: str
    before: str
    after: str
    tests: tuple[str, ...]


_LIBRARY = (
    Fault(
        "maxout kernel forgets the norms of Y",
        "rfviz/kernels/maxout.py",
        "kernel *= xp.multiply(norms_X[:, None], norms_Y[None, :], out=cosines)",
        "kernel *= norms_X[:, None]",
        ("tests/kernels/test_maxout.py::test_matrices",),
    ),
    Fault(
        "variance of maxout distances with the wrong power",
        "rfviz/kernels/maxout_moments.py",
        "np.maximum(3.0 * fourth - contraction**2, 0.0)",
        "np.maximum(3.0 * fourth - contraction, 0.0)",
        ("tests/kernels/test_maxout_moments.py::test_moments_against_brute_force",),
    ),
    Fault(
        "arc-cosine kernel with the wrong normalisation",
        "rfviz/kernels/arccos.py",
        "(_PI - xp.arccos(rho)) * rho) / _PI",
        "(_PI - xp.arccos(rho)) * rho) / (2.0 * _PI)",
        ("tests/kernels/test_arccos.py",),
    ),
    Fault(
        "Laplacian kernel of Euclidean distances",
        "rfviz/kernels/laplacian.py",
        'cdist(X, Y, "cityblock")',
        'cdist(X, Y, "euclidean")',
        ("tests/kernels/test_laplacian.py::test_is_scikit_learns",),
    ),
    Fault(
        "Gaussian kernel with half the gamma",
        "rfviz/kernels/gaussian.py",
        "kernel *= -gamma",
        "kernel *= -0.5 * gamma",
        ("tests/kernels/test_gaussian.py::test_against_scikit_learn",),
    ),
    Fault(
        "variance of a lone cosine with a term doubled",
        "rfviz/kernels/fourier_moments.py",
        "(1.0 + doubles / 2.0 + twice) / 4.0",
        "(1.0 + doubles + twice) / 4.0",
        ("tests/kernels/test_fourier_moments.py::test_lone_cosine_by_monte_carlo",),
    ),
    Fault(
        "union bound that counts one pair",
        "rfviz/bounds/tail.py",
        "more = math.log(n_pairs)",
        "more = 0.0",
        ("tests/bounds/test_tail.py",),
    ),
    Fault(
        "bound on a phase pair with a constant too good",
        "rfviz/bounds/fourier.py",
        "math.log(2.0) - m * np.square(eps) / 3.0",
        "math.log(2.0) - m * np.square(eps) / 2.0",
        ("tests/bounds/test_tail.py::test_value_by_hand",),
    ),
    Fault(
        "uniform bound with a wrong power of two",
        "rfviz/bounds/fourier.py",
        "(6.0 * d + 2.0) / (d + 2.0) * math.log(2.0)",
        "(6.0 * d + 1.0) / (d + 2.0) * math.log(2.0)",
        (
            "tests/bounds/test_tail.py::test_value_by_hand",
            "tests/bounds/test_tail.py::test_constants_stay_below_those_that_are_quoted",
        ),
    ),
    Fault(
        "risk bound that counts the loss at zero once",
        "rfviz/bounds/risk.py",
        "2.0 * (4.0 * lipschitz * size + 2.0 * abs(at_zero)",
        "2.0 * (4.0 * lipschitz * size + abs(at_zero)",
        ("tests/bounds/test_risk.py::test_kitchen_sinks_by_hand",),
    ),
    Fault(
        "co-occurrence as if inputs were independent",
        "rfviz/skeleton/occurrence.py",
        "1.0 - none[group] - none + neither, 0.0)",
        "1.0 - none[group] - none + none[group] * none + 0.0 * neither, 0.0)",
        ("tests/skeleton/test_occurrence.py::test_against_all_draws",),
    ),
    Fault(
        "patches with height and width swapped",
        "rfviz/skeleton/patches.py",
        ".transpose(0, 1, 2, 4, 5, 3)",
        ".transpose(0, 1, 2, 5, 4, 3)",
        ("tests/skeleton/test_patches.py::test_patches_lie_where_the_convolution_looks",),
    ),
    Fault(
        "convolution windows with the stride of the window",
        "rfviz/skeleton/compile.py",
        "within = np.arange(size[0])[:, None] * width",
        "within = np.arange(size[0])[:, None] * size[1]",
        ("tests/skeleton/test_graph.py::test_convolution_windows_by_hand",),
    ),
    Fault(
        "heavy tail that begins one too early",
        "rfviz/skeleton/activations.py",
        "2 * tail.draw(generator, beyond.size) + first",
        "2 * tail.draw(generator, beyond.size) + first - 1",
        ("tests/skeleton/test_activations.py::test_heavy_tails_have_their_exact_frequencies",),
    ),
    Fault(
        "every chunk of draws from the first child of the seed",
        "rfviz/features/draws.py",
        "spawn_key=(stream, start // CHUNK_ROWS)",
        "spawn_key=(stream, 0)",
        ("tests/features/test_draws.py::test_seeds_streams_chunks_and_columns_are_uncorrelated",),
    ),
    Fault(
        "remembered draws whose key lacks the precision",
        "rfviz/features/draws.py",
        "columns, char = out.shape[2], out.dtype.char",
        'columns, char = out.shape[2], ""',
        ("tests/features/test_draws.py",),
    ),
    Fault(
        "remembered draws that are never evicted",
        "rfviz/features/draws.py",
        "while sum(table.nbytes for table in _normals.values()) > _normals_room:",
        "while False:",
        ("tests/features/test_draws.py::test_remembered_draws_stay_within_their_room",),
    ),
    Fault(
        "prefix of the last features",
        "rfviz/features/maxout.py",
        'return {"weights_": self.weights_[:, :n_components]}',
        'return {"weights_": self.weights_[:, -n_components:]}',
        ("tests/features/test_nested.py::test_prefix_is_the_smaller_map",),
    ),
    Fault(
        "hash codes whose last of equal projections counts",
        "rfviz/features/hashing.py",
        "projection, exact=True) > best",
        "projection, exact=True) >= best",
        ("tests/features/test_hashing.py",),
    ),
    Fault(
        "odd number of paired features loses its last cosine",
        "rfviz/features/fourier.py",
        "return -(-n_components // 2) if self.paired else n_components",
        "return n_components // 2 if self.paired else n_components",
        (
            "tests/features/test_kernels.py::test_fourier_by_brute_force",
            "tests/features/test_fourier_draws.py::test_nested",
        ),
    ),
    Fault(
        "shifts of grids within half a pitch",
        "rfviz/features/binning.py",
        "uniform(self.seed_, _SHIFT_STREAM, 1.0,",
        "uniform(self.seed_, _SHIFT_STREAM, 0.5,",
        ("tests/features/test_binning.py::test_shifts_are_uniform_within_their_pitch",),
    ),
    Fault(
        "last block of rows dropped where it is one row",
        "rfviz/features/blocks.py",
        "range(0, n_samples, block_rows), workers)",
        "range(0, max(n_samples - 1, 1), block_rows), workers)",
        ("tests/features/test_same_map.py::test_block_size",),
    ),
    Fault(
        "blocks in whatever order they are done",
        "rfviz/backend/threads.py",
        "yield pending.popleft().result()\n            while",
        "yield pending.pop().result()\n            while",
        ("tests/backend/test_threads.py::test_map_keeps_the_order",),
    ),
    Fault(
        "learnt width of the Cauchy kernel squared",
        "rfviz/features/bandwidth.py",
        '(np.sqrt(squared) if spectrum == "cauchy" else squared)',
        "squared",
        ("tests/features/test_fourier_draws.py::test_learnt_widths",),
    ),
    Fault(
        "variance of sparse columns without their zeros",
        "rfviz/features/stumps.py",
        "(squares + (n - stored) * mean**2) / n",
        "squares / n",
        ("tests/features/test_kitchen_sinks.py::test_learnt_statistics_are_scikit_learns",),
    ),
    Fault(
        "penalties with equal errors chosen by their place",
        "rfviz/linear_model/ridge_path.py",
        "np.argmin(errors + 1e-9 * squares / (1e-12 + np.nanmax(squares)), axis=0)",
        "np.argmin(errors, axis=0)",
        ("tests/linear_model/test_ridge_path.py",),
    ),
    Fault(
        "right-hand side that is not centred",
        "rfviz/linear_model/normal_equations.py",
        "cross -= self.xp.outer(total, self._target_sum) / self.n_samples",
        "pass",
        ("tests/linear_model/test_ridge_path.py::test_blocks_of_rows_do_not_matter",),
    ),
    Fault(
        "squared errors of several targets summed",
        "rfviz/linear_model/targets.py",
        "np.mean((scores - self.codes(y)) ** 2, axis=1)",
        "np.sum((scores - self.codes(y)) ** 2, axis=1)",
        ("tests/linear_model/test_ridge_path.py::test_regression_targets",),
    ),
    Fault(
        "hinge loss with the rival of the scores and not of the margins",
        "rfviz/linear_model/losses.py",
        "raised.argmax(axis=1)[:, None]",
        "full.argmax(axis=1)[:, None]",
        ("tests/linear_model/test_losses.py::test_gradient_is_that_of_finite_differences",),
    ),
    Fault(
        "memory limit that can only raise the budget",
        "rfviz/backend/memory.py",
        "budget = min(budget, limit)",
        "budget = max(budget, limit)",
        ("tests/backend/test_memory.py",),
    ),
    Fault(
        "rates of the last turn and not of the best",
        "rfviz/backend/rates.py",
        "self._best[name] = min(self._best[name], task())",
        "self._best[name] = task()",
        ("tests/backend/test_rates.py::test_only_the_best_turn_counts",),
    ),
    Fault(
        "classes in the order of their words, 10 before 9",
        "rfviz/datasets/files/labels.py",
        'rank = np.argsort(values, kind="stable")',
        "rank = np.arange(values.size)",
        ("tests/datasets/files/test_labels.py",),
    ),
    Fault(
        "y is taken for the label where there is a class",
        "rfviz/datasets/files/suggest.py",
        'LABELS = ("label", "target", "class", "y", FOLDER)',
        'LABELS = ("y", "label", "target", "class", FOLDER)',
        ("tests/datasets/files/test_upload.py", "tests/datasets/files/test_text.py"),
    ),
    Fault(
        "classes of one size sampled by their number",
        "rfviz/datasets/subsample.py",
        'rows[np.argsort(place / sizes[group], kind="stable")]',
        "rows[np.lexsort((group, place / sizes[group]))]",
        ("tests/datasets/test_subsample.py::test_ties_are_broken_at_random",),
    ),
    Fault(
        "gaps filled by means that test rows take part in",
        "rfviz/datasets/files/prepare.py",
        "n_fit = rows.size if table.n_train is None else int(np.count_nonzero(rows < table.n_train))",
        "n_fit = rows.size",
        ("tests/datasets/files/test_arrays.py::test_impute_mean_uses_training_rows",),
    ),
    Fault(
        "stale headers of a file that has changed",
        "rfviz/datasets/files/folder.py",
        "stamp = (status.st_mtime_ns, status.st_size, key)",
        "stamp = (0, status.st_size, key)",
        ("tests/datasets/files/test_folder.py",),
    ),
    Fault(
        "download of any size is stored",
        "rfviz/datasets/downloads/cache.py",
        "if len(content) > self.download.max_bytes:",
        "if False:",
        ("tests/datasets/downloads/test_openml.py::test_a_table_that_is_too_large_is_not_stored",),
    ),
)

_FRAMEWORK = (
    Fault(
        "cache that never evicts",
        "rfviz/lab/cache.py",
        "while self.n_bytes > self.max_bytes and len(self._entries) > 1:",
        "while False:",
        ("tests/lab/test_cache.py",),
    ),
    Fault(
        "results without the upload that they belong to",
        "rfviz/lab/cache.py",
        "self.store.put(key, entry, owners_of(args))",
        "self.store.put(key, entry)",
        ("tests/lab/test_cache.py",),
    ),
    Fault(
        "warning lost with the second use of a result",
        "rfviz/lab/cache.py",
        "Cached(result, log.messages)",
        "Cached(result)",
        ("tests/lab/test_cache.py",),
    ),
    Fault(
        "cache key without the device",
        "rfviz/ui/cache.py",
        "return function, args, session_target()",
        "return function, args",
        ("tests/ui/test_cache.py",),
    ),
    Fault(
        "work that swallows a failure",
        "rfviz/lab/work.py",
        "        if stopped:\n",
        "        if False:\n",
        ("tests/lab/test_work.py",),
    ),
    Fault(
        "curve that goes on after a failure",
        "rfviz/lab/work.py",
        "failed.add(part.label)",
        "pass",
        ("tests/lab/test_work.py",),
    ),
    Fault(
        "first value of an address dropped",
        "rfviz/lab/preset.py",
        "for name, value in pairs if name not in (*_VIEW_ONLY",
        "for name, value in pairs[1:] if name not in (*_VIEW_ONLY",
        ("tests/recipes/test_recipes.py::test_address_is_a_preset",),
    ),
    Fault(
        "list of one that comes back as a value",
        "rfviz/lab/address.py",
        '("," if len(value) < 2 else "")',
        '""',
        ("tests/ui/state/test_page_state.py::test_list_of_one_is_told_from_a_value",),
    ),
    Fault(
        "script without the first setting of its data",
        "rfviz/lab/script.py",
        "for name, value in data.values)",
        "for name, value in data.values[1:])",
        ("tests/lab/test_script.py",),
    ),
    Fault(
        "missing escape in the title of a page to take away",
        "rfviz/lab/export.py",
        '.replace("&", "&amp;").replace("<", "&lt;")',
        '.replace("&", "&amp;")',
        ("tests/lab/test_export.py",),
    ),
    Fault(
        "words of a chart in a report are not escaped",
        "rfviz/lab/report.py",
        "text = html.escape(text.strip())",
        "text = text.strip()",
        ("tests/lab/test_export.py::test_report_holds_everything_and_nothing_that_runs",),
    ),
    Fault(
        "Plotly revision constant",
        "rfviz/lab/page.py",
        'return f"{zlib.crc32(repr(parts).encode()):08x}"',
        'return "0"',
        ("tests/lab/test_page.py",),
    ),
    Fault(
        "missing alt text of the main chart",
        "rfviz/ui/page.py",
        "layout.chart(chart.figure, chart.name, chart.alt,",
        'layout.chart(chart.figure, chart.name, "",',
        ("tests/ui/test_page.py",),
    ),
    Fault(
        "undo that forgets the present",
        "rfviz/ui/state/history.py",
        "[*self.entries[: self.at + 1], entry]",
        "[*self.entries[: self.at], entry]",
        ("tests/ui/state/test_history.py::test_steps_go_back_and_forth",),
    ),
    Fault(
        "preset that an earlier message of the browser undoes",
        "rfviz/ui/state/page_state.py",
        "generations[name] = generations.get(name, 0) + 1",
        "generations[name] = generations.get(name, 0)",
        ("tests/ui/state/test_page_state.py::test_a_message_from_before_a_preset_speaks_of_widgets_that_are_gone",),
    ),
    Fault(
        "address that is read again with every run",
        "rfviz/ui/state/address.py",
        "        self._linked.discard(name)\n        return self._value",
        "        return self._value",
        ("tests/ui/state/test_page_state.py",),
    ),
    Fault(
        "oldest pins stay and the latest goes",
        "rfviz/ui/state/pins.py",
        "[-MOST:]",
        "[:MOST]",
        ("tests/ui/state/test_pins.py::test_only_the_latest_few_are_kept_and_any_can_go",),
    ),
    Fault(
        "session that keeps its turn",
        "rfviz/ui/scheduler/requests.py",
        "lines[session] = line  # at the end of the round",
        "lines[session] = line; lines.move_to_end(session, last=False)",
        ("tests/ui/scheduler/test_scheduler.py::test_sessions_are_served_in_rounds",),
    ),
    Fault(
        "warnings of a GPU's job lost",
        "rfviz/ui/scheduler/gpu_worker.py",
        "job.result = job.context.run(self._compute, job)",
        "job.result = self._compute(job)",
        ("tests/ui/scheduler/test_scheduler.py::test_warnings_of_smaller_blocks_reach_the_reader",),
    ),
    Fault(
        "static file cache that takes queries for the same file",
        "rfviz/ui/web/static_cache.py",
        ' or scope["query_string"]:',
        ":",
        ("tests/ui/web/test_server.py",),
    ),
    Fault(
        "boot script that a closing tag ends",
        "rfviz/ui/web/boot_script.py",
        'call.replace("</", "<\\\\/")',
        "call",
        ("tests/ui/web/test_server.py",),
    ),
    Fault(
        "pictures of any host",
        "rfviz/ui/web/headers.py",
        "img-src 'self' data: blob:",
        "img-src * data: blob:",
        ("tests/ui/web/test_server.py::test_pages_show_no_pictures_of_other_hosts",),
    ),
    Fault(
        "upload whose results outlive it",
        "rfviz/ui/own_data/session.py",
        "        for owner in self.owners:\n            STORE.drop_owner(owner)",
        "        pass",
        ("tests/ui/own_data/test_own_data.py::test_cached_results_go_with_the_data",),
    ),
    Fault(
        "upload lost where another has its name",
        "rfviz/ui/own_data/session.py",
        "while key in self.sets and self.sets[key].upload.digest != upload.digest:",
        "while False:",
        ("tests/ui/own_data/test_own_data.py::test_names_that_are_taken_and_the_most_that_a_session_holds",),
    ),
)

_DISTANCE_SATURATION = (
    Fault(
        "preset of Figure 1 without its second curve",
        "rfviz/lab/distance_saturation/page.py",
        '"compare": [32], ',
        "",
        ("tests/test_pages.py::test_preset_restores_every_setting_of_the_paper",),
    ),
    Fault(
        "script of distance saturation that omits the normalisation",
        "rfviz/lab/distance_saturation/page.py",
        "pairs = prepare_pairs(dataset, {source.normalise!r})",
        "pairs = prepare_pairs(dataset, 'none')",
        ("tests/recipes/test_recipes.py::test_script_gives_the_same_numbers[distance-saturation-1]",),
    ),
    Fault(
        "pairs counted with axes swapped",
        "rfviz/lab/distance_saturation/compute.py",
        "np.bincount(j * columns + i,",
        "np.bincount(i * rows + j,",
        ("tests/lab/distance_saturation/test_compute.py::test_counts_hold_every_pair_where_brute_force_puts_it",),
    ),
    Fault(
        "pairs at one distance of which only some count",
        "rfviz/lab/distance_saturation/compute.py",
        "distance * _TIE >= farthest",
        "distance > farthest",
        ("tests/lab/distance_saturation/test_compute.py",),
    ),
    Fault(
        "spread over seeds of the wrong degrees of freedom",
        "rfviz/lab/distance_saturation/animation.py",
        "rows.std(axis=0, ddof=1)",
        "rows.std(axis=0)",
        ("tests/lab/distance_saturation/test_animation.py::test_seeds_are_averaged_where_brute_force_puts_them",),
    ),
    Fault(
        "chart that keeps its zoom when its data go",
        "rfviz/lab/distance_saturation/figures.py",
        'revision=f"{result.dataset}-{reach}"',
        'revision="saturation"',
        ("tests/test_pages.py::test_chart_forgets_its_view_with_its_data",),
    ),
)

FAULTS = _LIBRARY + _FRAMEWORK + _DISTANCE_SATURATION
