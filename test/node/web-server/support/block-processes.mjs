/**
 * Loaded into a web server's processes by a test, so that they can be held up as a fault
 * of ours would do it: by asking for a path that holds `hold-up-<milliseconds>`, and by
 * the rule `SetEnv HOLD_UP <milliseconds>`.
 */
import childProcess from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { fileURLToPath } from 'node:url'

const busyFor = (ms) => {
  const untilMs = performance.now() + ms
  while (performance.now() < untilMs);
}

const { spawn } = childProcess
childProcess.spawn = (program, argv, options) =>
  // Workers begin with an environment of their own.
  argv.some((one) => String(one).endsWith('bin/web-worker.ts'))
    ? spawn(program, ['--import', fileURLToPath(import.meta.url), ...argv], options)
    : spawn(program, argv, options)

for (const name of ['open', 'openSync']) {
  const real = fs[name]
  fs[name] = (path, ...more) => {
    busyFor(Number(/hold-up-(\d+)/.exec(String(path))?.[1] ?? 0))
    return real.call(fs, path, ...more)
  }
}
syncBuiltinESMExports()

const { set } = Map.prototype
Map.prototype.set = function (key, value) {
  if (key === 'HOLD_UP') busyFor(Number(value))
  return set.call(this, key, value)
}
