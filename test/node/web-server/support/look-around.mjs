// Looks for a while at what is not there, on the processor that it was put on, beside
// programs that want it too. Writes what the looks came to.
import { existsFairly } from '#adapters/node/web-server/files/open-fairly.ts'

const [directory, forMs] = process.argv.slice(2)
const endMs = performance.now() + Number(forMs)
const told = { looks: 0, refused: 0, longestMs: 0 }
for (let startMs = performance.now(); startMs < endMs;) {
  if (existsFairly(directory, `${directory}/none-${told.looks++}`) === null) told.refused++
  const nowMs = performance.now()
  told.longestMs = Math.max(told.longestMs, nowMs - startMs)
  startMs = nowMs
}
process.stdout.write(JSON.stringify(told))
