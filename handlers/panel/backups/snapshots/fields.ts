import { z } from 'zod'
import { isBelowHome } from '../../../domain/backups/snapshot-path.ts'
import { numberText, oneOf, text } from '../../frame/fields.ts'

const ENGINES = ['mariadb', 'mysql', 'postgresql'] as const

/** A path below the home. The host judges it again. */
export const pathBelow = (field: string) =>
  text(field).refine(isBelowHome, `${field} must be a path below the home.`)

export const accountParams = z.object({ id: numberText('id') })

export const snapshotParams = accountParams.extend({
  snapshot: text('snapshot', 64).regex(
    /^[0-9a-f]{64}$/,
    'snapshot must be the 64 digits of a snapshot.',
  ),
})

export const createBody = z.object({
  target: text('target', 32)
    .optional()
    .describe(
      'Remote target; "local": this host. Default: the default target, or this host where there is none.',
    ),
})

export const browseQuery = z.object({
  path: pathBelow('path').default('').describe('Folder below the home; empty: the home.'),
  page: numberText('page', 10_000).optional().describe('Of 1,000 entries each, from 1.'),
})

export const downloadQuery = z.object({
  path: pathBelow('path')
    .optional()
    .describe('File (as it is) or folder (as tar.gz) below the home. Default: the home.'),
  database: text('database', 64).optional().describe('Instead of path: the dump of a database.'),
  engine: oneOf('engine', ENGINES)
    .optional()
    .describe('With database, where two engines have one of that name.'),
})
