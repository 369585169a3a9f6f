import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { syncFile, writeWhole } from '../../../layout/write-whole.ts'

const orderSchema = z.strictObject({
  username: z.string().nullable(),
  domain: z.string(),
  names: z.array(z.string()),
  /** Where the authority's directory is, and the order there. */
  directory: z.string(),
  url: z.string(),
  /** PEM of the certificate's key, made with the order so that what was paid for by work is never lost. */
  key: z.string(),
  /** What has to stand in the DNS, as it was found when the order was made. */
  records: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  left_out: z.array(z.strictObject({ name: z.string(), reason: z.string() })),
  created_at: z.string(),
  expires_at: z.string(),
  /** Why nothing comes of it any more; null: it waits. */
  failed: z.string().nullable(),
})

/** An order at an authority that waits for its owner, with the key of what it is for. */
export type KeptOrder = z.infer<typeof orderSchema>

/** One for each domain; root's alone. */
export interface OrderFiles {
  all(): KeptOrder[]
  of(domain: string): KeptOrder | null
  put(order: KeptOrder): void
  remove(domain: string): void
}

export const createOrderFiles = (directory: string): OrderFiles => {
  // No name of a host has an underscore there.
  const fileOf = (domain: string): string =>
    join(directory, `${domain.replace(/^\*/, '_wildcard')}.json`)
  const read = (file: string): KeptOrder =>
    orderSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  return {
    all: () =>
      (existsSync(directory) ? readdirSync(directory) : [])
        .filter((name) => name.endsWith('.json'))
        .toSorted()
        .map((name) => read(join(directory, name))),
    of(domain) {
      const file = fileOf(domain)
      return existsSync(file) ? read(file) : null
    },
    put(order) {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      const text = `${JSON.stringify(orderSchema.parse(order), null, 2)}\n`
      writeWhole(fileOf(order.domain), text, { mode: 0o600 })
    },
    remove(domain) {
      const file = fileOf(domain)
      if (!existsSync(file)) return
      rmSync(file)
      syncFile(directory)
    },
  }
}
