import { renameSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import Database from 'better-sqlite3'
import { becomeOwner } from '../panel/become-owner.ts'
import { storeOrderSchema, type StoreAnswer } from '../store/copy/store-order.ts'
import { isStoreInUse, putStore, saveStore } from '../store/copy/save-store.ts'

/**
 * Works on a panel's store in PostgreSQL as the panel's user, whom alone the server lets in by a
 * unix socket. What to do comes as JSON on standard input; answers are JSON, a line each.
 */
const say = (answer: StoreAnswer): void => void process.stdout.write(`${JSON.stringify(answer)}\n`)

const run = async (): Promise<void> => {
  process.umask(0o077)
  const order = storeOrderSchema.parse(JSON.parse(await text(process.stdin)))
  // Native code is loaded while whatever directory it lies in can still be read.
  new Database(':memory:').close()
  becomeOwner(order.directory)
  const tell = ({ table, rows }: { table: string; rows: number }): void =>
    say({ kind: 'progress', table, rows })
  switch (order.action) {
    case 'is-used':
      return say({ kind: 'used', used: await isStoreInUse(order.server) })
    case 'save':
      return say({ kind: 'copied', ...(await saveStore(order.server, order.file, tell)) })
    case 'put':
      return say({ kind: 'copied', ...(await putStore(order.file, order.server, tell)) })
    case 'rename':
      for (const [from, to] of order.names) renameSync(from, to)
      return say({ kind: 'renamed' })
  }
}

run().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
