#!/usr/bin/env node
// Runs on any Node 20+: finds the pinned Node of this checkout and hands over to it.
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runForwarding } from '../scripts/run-forwarding.mjs'

const product = dirname(dirname(realpathSync(fileURLToPath(import.meta.url))))
const node = join(product, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node')
if (!existsSync(node)) {
  console.error(`Berth's packages are not installed in ${product}. Run there: npm start`)
  process.exit(1)
}
process.exit(await runForwarding(node, [join(product, 'cli/main.ts'), ...process.argv.slice(2)]))
