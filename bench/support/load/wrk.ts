import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { firstPath, type LoadResult, type Target } from './load.ts'
import { LOAD_CPU, pinned } from './pin.ts'

const MARK = 'BERTH-BENCH '

const lua = (text: string): string =>
  `"${text.replace(/[\\"]/g, '\\$&').replaceAll('\r', '\\r').replaceAll('\n', '\\n')}"`

/**
 * A new request each time. The text around the number is put together once; wrk
 * asks for one request only to look at it, so counting begins one below the first.
 */
const numberedRequests = ({ host, headers, path, numbered }: Target): string => {
  if (numbered === undefined) return ''
  const fields = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}`)
  const end = lua(` HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`)
  const { from, count, order } = numbered
  const pick = order === 'any' ? 'math.random(count) - 1' : 'at % count'
  return `local start, tail, count, at = ${lua(`GET ${path}`)}, ${end}, ${count}, -2
function request()
  at = at + 1
  return start .. (${from} + ${pick}) .. tail
end
`
}

/** The script that gives wrk its head and prints the sums as JSON; wrk then builds the request once. */
export const wrkScript = (target: Target): string => `wrk.method = "GET"
wrk.path = ${lua(firstPath(target))}
wrk.headers["Host"] = ${lua(target.host)}
${Object.entries(target.headers)
  .map(([name, value]) => `wrk.headers[${lua(name)}] = ${lua(value)}`)
  .join('\n')}
${numberedRequests(target)}function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '${MARK}{"requests":%d,"microseconds":%d,"bytes":%d,"failures":%d,"p99":%d}\\n',
    summary.requests, summary.duration, summary.bytes,
    errors.connect + errors.read + errors.write + errors.timeout${target.refused ? '' : ' + errors.status'},
    latency:percentile(99)))
end
`

/** Reads what the script printed. Throws when it is not there. */
export const parseWrk = (output: string): LoadResult => {
  const line = output.split('\n').find((one) => one.startsWith(MARK))
  if (line === undefined) throw new Error(`wrk printed no result:\n${output}`)
  const sums = JSON.parse(line.slice(MARK.length)) as Record<
    'requests' | 'microseconds' | 'bytes' | 'failures' | 'p99',
    number
  >
  return {
    requests: sums.requests,
    seconds: sums.microseconds / 1e6,
    bytes: sums.bytes,
    failures: sums.failures,
    p99Ms: sums.p99 / 1000,
  }
}

/** wrk takes whole seconds; interrupted, it reports what it has. */
const interrupted = (seconds: number): string[] =>
  Number.isInteger(seconds)
    ? []
    : ['/usr/bin/timeout', '--preserve-status', '--signal=INT', String(seconds)]

/** One thread of wrk on the load generator's processor. `directory` takes its script. */
export const runWrk = async (
  target: Target,
  seconds: number,
  directory: string,
): Promise<LoadResult> => {
  const script = join(directory, 'wrk.lua')
  writeFileSync(script, wrkScript(target))
  const [program = '', ...args] = [
    ...interrupted(seconds),
    ...pinned(LOAD_CPU, '/usr/bin/wrk', [
      ...['-t', '1', '-c', String(target.connections)],
      ...['-d', `${Math.ceil(seconds)}s`, '--timeout', '10s'],
      ...['-s', script, '--', `http://127.0.0.1:${target.port}${target.path}`],
    ]),
  ]
  const { stdout } = await mustRun(program, args, { timeoutMs: (seconds + 30) * 1000 })
  return parseWrk(stdout)
}
