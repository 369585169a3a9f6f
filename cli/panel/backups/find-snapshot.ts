import type { z } from 'zod'
import type { snapshotSchema } from '#handlers/panel/backups/snapshots/schema.ts'
import { CliError } from '../../cli-error.ts'
import { knownRows } from '../frame/known.ts'
import { findAccount } from '../frame/lookup.ts'
import { apiPath, type PanelClient } from '../frame/panel-client.ts'

/** A snapshot as the API answers it. */
export type Snapshot = z.output<typeof snapshotSchema>

/** Shown digits of a snapshot; more are needed only where two begin with the same. */
export const SHOWN_DIGITS = 10

/** Snapshots outlive their account: then only its number leads to them. */
export const accountId = async (panel: PanelClient, name = ''): Promise<number> =>
  /^[1-9]\d*$/.test(name) ? Number(name) : (await findAccount(panel, name)).id

/** The snapshot of an account that is meant: by its first digits, or the newest by `latest`. */
export const findSnapshot = async (
  panel: PanelClient,
  account: number,
  wanted = '',
): Promise<Snapshot> => {
  const path = apiPath`/api/backups/snapshots/accounts/${account}`
  const rows = knownRows<Snapshot>(await panel.call('GET', path), 'id', 'databases', 'created_at')
  const digits = wanted.toLowerCase()
  const found =
    digits === 'latest'
      ? rows.slice(0, 1)
      : rows.filter(({ id }) => /^[0-9a-f]{4,64}$/.test(digits) && id.startsWith(digits))
  const [snapshot] = found
  if (snapshot === undefined)
    throw new CliError(`There is no snapshot "${wanted}". See: berth snapshots list ${account}`)
  if (found.length > 1)
    throw new CliError(`${found.length} snapshots begin with ${wanted}. Give more digits.`)
  return snapshot
}
