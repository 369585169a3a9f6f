import { mustRun } from '#adapters/node/process/run-command.ts'
import type { LoadResult, Target } from './load.ts'
import { LOAD_CPU, pinned } from './pin.ts'

const UNITS: Readonly<Record<string, number>> = { B: 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 }

const number = (output: string, pattern: RegExp): number => {
  const found = pattern.exec(output)?.[1]
  if (found === undefined) throw new Error(`h2load printed nothing like ${pattern}:\n${output}`)
  return Number(found)
}

/** Reads h2load's own summary of a run of `seconds`. */
export const parseH2load = (output: string, seconds: number): LoadResult => {
  const requests = number(output, /requests: .*?(\d+) succeeded/)
  const succeeded = number(output, /status codes: (\d+) 2xx/)
  const failed = number(output, /requests: .*?(\d+) failed/)
  const traffic = /traffic: ([\d.]+)([KMG]?B) /.exec(output)
  return {
    requests,
    seconds,
    bytes: Math.round(Number(traffic?.[1] ?? 0) * (UNITS[traffic?.[2] ?? 'B'] ?? 1)),
    failures: failed + Math.max(0, requests - succeeded),
    p99Ms: null,
  }
}

/** One thread of h2load on the load generator's processor, over TLS 1.3. */
export const runH2load = async (target: Target, seconds: number): Promise<LoadResult> => {
  const { host, port, path, headers, connections, protocol, streams = 1 } = target
  const [program = '', ...args] = pinned(LOAD_CPU, '/usr/bin/h2load', [
    ...['-t', '1', '-c', String(connections), '-m', String(streams)],
    ...['-D', `${Math.round(seconds * 1000)}ms`],
    ...(protocol === 'tls' ? ['--h1'] : []),
    `--connect-to=127.0.0.1:${port}`,
    // The same for all: what a handshake would choose differs between servers.
    '--tls13-ciphers=TLS_AES_128_GCM_SHA256',
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    `https://${host}${path}`,
  ])
  const { stdout } = await mustRun(program, args, { timeoutMs: (seconds + 30) * 1000 })
  return parseH2load(stdout, seconds)
}
