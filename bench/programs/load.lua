-- Closed-loop load with the bodies of a file, one a line; its last line of output is the result as JSON.
local requests = {}
local at = 0

function init(args)
  for body in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format("POST", nil, nil, body)
  end
end

-- Asked for whenever a connection has its answer.
function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requestsPerSecond":%.3f,"p99Ms":%.3f,"failed":%d}\n',
    (summary.requests - errors.status) * 1e6 / summary.duration,
    latency:percentile(99) / 1000,
    errors.status + errors.connect + errors.read + errors.write + errors.timeout
  ))
end
