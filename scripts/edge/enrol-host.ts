import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createHostLinks } from '#adapters/node/panel/hosts/host-links.ts'
import { openPanelIdentity } from '#adapters/node/link-trust/panel-identity.ts'
import { randomId } from '#handlers/domain/access/random-id.ts'

const USAGE = `npm run edge:host [-- --directory DIR]
  Makes the keys by which the panel's Worker reaches a machine: a token for "berth agent join" there, and
  the secret LINK_KEY of the Worker.
  --directory DIR   where the Worker's keys are kept (default var/edge/link)`
const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const LINK_ID_DIGITS = 12

const read = () => {
  try {
    return parseArgs({
      options: { directory: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    }).values
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`)
    process.exit(2)
  }
}

const options = read()
if (options.help === true) {
  console.log(USAGE)
  process.exit(0)
}
const directory = resolve(options.directory ?? join(ROOT, 'var/edge/link'))
mkdirSync(directory, { recursive: true, mode: 0o700 })
const host = `host-${randomId().slice(0, LINK_ID_DIGITS)}`
// The same panel each time, so that further machines know it by one name.
const { token } = await createHostLinks(directory).invite({ link_id: host, role: 'host' })
const { entry, secret } = await openPanelIdentity(directory)
const file = join(directory, `${host}.json`)
writeFileSync(file, `${JSON.stringify({ host, panel: entry.id, signing: secret })}\n`, {
  ...{ mode: 0o600, flag: 'wx' },
})
console.log(`On the machine, as root, where [link] says how it is reached (docs/edge.md):
  berth agent join ${token}

For the Worker, whose name there is ${entry.id}:
  npx wrangler secret put LINK_KEY < ${file}

Whoever has that file can ask the machine for everything that a panel can.`)
