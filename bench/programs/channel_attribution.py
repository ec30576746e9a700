"""Times ChannelAttribution's heuristic models on paths of one file; the third argument tells its sums' file."""
import contextlib
import io
import json
import sys
import time

import pandas

with contextlib.redirect_stdout(io.StringIO()):
    from ChannelAttribution import heuristic_models

data = pandas.read_csv(sys.argv[1], sep="\t", names=["path", "conversions"])
began = time.perf_counter()
with contextlib.redirect_stdout(io.StringIO()):
    sums = heuristic_models(data, "path", "conversions")
took = time.perf_counter() - began
print(json.dumps({"seconds": took, "sums": sums.to_dict("records")}))
