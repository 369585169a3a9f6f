// A lane whose vitest runs in a virtual machine: starts one and hands messages on, both ways.
//   $1 checkout, $2 directory of what tests keep between runs
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { checkoutImages } from './make-checkout.mjs'
import { machineDisk } from './make-disk.mjs'
import { hasHardwareHelp, machineArguments } from './machine-arguments.mjs'

const [root = '', kept = ''] = process.argv.slice(2)
/** Without help of the processor a machine takes half a minute; on a busy one several times that. */
const BOOT_LIMIT_MS = 20 * 60_000
/** No machine lasts as long. */
const LEFT_MS = 3 * 3600_000

const { disk, kernel, initrd } = machineDisk(kept)
// Of those that were killed.
for (const name of readdirSync(kept).filter((one) => one.startsWith('machine-run-'))) {
  const left = join(kept, name)
  if (Date.now() - statSync(left).mtimeMs > LEFT_MS) rmSync(left, { recursive: true, force: true })
}
const work = mkdtempSync(join(kept, 'machine-run-'))
process.on('SIGTERM', () => process.exit(1))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))
const consoleFile = join(work, 'console')

/** @param {string} sentence */
const fail = (sentence) => {
  let last = ''
  try {
    last = readFileSync(consoleFile, 'latin1').slice(-4000)
  } catch {
    // It said nothing.
  }
  console.log(`${sentence}\n${last}`)
  process.exit(1)
}

const images = checkoutImages(root, kept, work)
const fast = hasHardwareHelp()
console.log(
  fast ? 'The machine runs with KVM.' : 'The machine is emulated: there is no KVM for it.',
)
const machine = spawn(
  'setpriv',
  [
    ...['--pdeathsig=SIGKILL', '--', 'qemu-system-x86_64'],
    ...machineArguments({ disk, kernel, initrd, ...images, console: consoleFile }, fast),
  ],
  {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', TMPDIR: work },
  },
)
machine.on('error', (error) => fail(`qemu does not start: ${error.message}`))
machine.on('exit', (code, signal) => fail(`The machine ended with ${signal ?? code}.`))
const slow = setTimeout(
  () => fail(`The machine did not start in ${BOOT_LIMIT_MS / 1000} seconds.`),
  BOOT_LIMIT_MS,
)
/** @param {unknown} message */
const tell = (message) => void machine.stdin.write(`${JSON.stringify(message)}\n`)

const given = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /^(BERTH_TEST_(SEED|WHOLE|NAME|LANE)|CI)$/.test(name),
  ),
)
/** How often it was started. */
let starts = 0
/** The file that is to be run, told again after a start that the file asked for. @type {unknown} */
let task = null
/** Null: no whole message, as the last one before a new start may be. @param {string} line */
const messageIn = (line) => {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
createInterface({ input: machine.stdout }).on('line', (line) => {
  const message = messageIn(line)
  if (message === null) return
  if (message.hello) {
    starts += 1
    if (starts > 1 && !message.asked) fail('The machine was started anew, which nobody asked for.')
    tell({ root, env: { ...given, BERTH_TEST_START: String(starts) } })
  } else if (message.output !== undefined) process.stdout.write(message.output)
  else if (message.ready && starts > 1) tell(task)
  else {
    if (message.ready) clearTimeout(slow)
    process.send?.(message)
  }
})
process.on('message', (message) => {
  task = message
  tell(message)
})
process.on('disconnect', () => process.exit(1))
