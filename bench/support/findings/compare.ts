import { readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { busySeconds } from '../load/cpu-load.ts'
import type { LoadResult, Target } from '../load/load.ts'
import { runH2load } from '../load/h2load.ts'
import { LOAD_CPU, SERVER_CPU } from '../load/pin.ts'
import { cpuSeconds } from '../process-tree.ts'
import type { Effort } from './row.ts'
import { verifyResponse, type Expected } from '../load/verify-response.ts'
import { runWrk } from '../load/wrk.ts'

/** A server in a comparison. */
export interface Side {
  name: string
  /** Processes whose trees' CPU time counts. */
  roots(): readonly number[]
  target: Target
  expected: Expected
}

/** One measured run. */
export interface Run {
  perSecond: number
  perCpuSecond: number
  p99Ms: number | null
}

/** Share of the two processors' time that programs other than ours used during a run, by run. */
export const foreignShares: number[] = []

/** Lets what the run before left behind (log writes, closing connections) come to rest. */
const REST_MS = 100

/** Node processes that have been under load, by protocol: their code has been compiled. */
const compiled = new Set<string>()
const COMPILE_SECONDS = 1

/**
 * Lets a Node server compile what it is about to be measured at, once; servers
 * that were compiled before they started need no such time.
 */
const letCompile = async ({ roots, target }: Side, directory: string): Promise<void> => {
  for (const pid of roots()) {
    const key = `${pid} ${target.protocol}`
    if (compiled.has(key) || basename(readlinkSync(`/proc/${pid}/exe`)) !== 'node') continue
    compiled.add(key)
    await load(target, COMPILE_SECONDS, directory)
  }
}

const load = (target: Target, seconds: number, directory: string): Promise<LoadResult> =>
  target.protocol === 'h1' ? runWrk(target, seconds, directory) : runH2load(target, seconds)

const measureOnce = async (
  side: Side,
  effort: Effort,
  directory: string,
  bytes: boolean,
): Promise<Run> => {
  const { name, target, expected, roots } = side
  // Answers may become what is expected only after a while: a coding is made behind the answer.
  const wire = await verifyResponse(name, target, expected, directory)
  await letCompile(side, directory)
  if (effort.warmSeconds > 0) await load(target, effort.warmSeconds, directory)
  await setTimeout(REST_MS)
  const cpus = [SERVER_CPU, LOAD_CPU]
  const startMs = performance.now()
  const before = {
    cpu: cpuSeconds(roots()),
    own: cpuSeconds([process.pid]),
    busy: busySeconds(cpus),
  }
  const result = await load(target, effort.seconds, directory)
  const cpu = cpuSeconds(roots()) - before.cpu
  const own = cpuSeconds([process.pid]) - before.own
  const busy = busySeconds(cpus) - before.busy
  const elapsed = (performance.now() - startMs) / 1000
  foreignShares.push(Math.min(1, Math.max(0, (busy - own) / (elapsed * cpus.length))))
  if (result.failures > 0)
    throw new Error(`${name}: ${result.failures} of ${result.requests} requests failed`)
  if (result.bytes < result.requests * wire)
    throw new Error(
      `${name}: ${result.requests} answers of ${wire} bytes were only ${result.bytes}`,
    )
  await verifyResponse(name, target, expected, directory)
  const work = bytes ? result.bytes / 1e6 : result.requests
  return {
    perSecond: work / result.seconds,
    perCpuSecond: cpu > 0 ? work / cpu : Number.NaN,
    p99Ms: result.p99Ms,
  }
}

/**
 * Measures the sides by turns (A B A B …), so that what changes on the machine
 * meets all of them. Throws when an answer is not what all must give, or one failed.
 *
 * @param bytes Count megabytes instead of requests.
 */
export const compare = async (
  sides: readonly Side[],
  effort: Effort,
  directory: string,
  bytes = false,
): Promise<Map<string, Run[]>> => {
  const runs = new Map(sides.map(({ name }): [string, Run[]] => [name, []]))
  for (let round = 0; round < effort.rounds; round++)
    for (const side of sides)
      runs.get(side.name)?.push(await measureOnce(side, effort, directory, bytes))
  return runs
}
