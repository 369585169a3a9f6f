import { z } from 'zod'
import { named } from '../frame/common-schemas.ts'

const kind = () => z.enum(['plugin', 'theme'])
const slug = () => z.string().describe('Its folder, or its file where it has none.')

/** A plugin or theme that can be updated. */
export const extensionUpdateSchema = named('WordpressExtensionUpdate', {
  kind: kind(),
  slug: slug(),
  name: z.string(),
  version: z.string().nullable().describe('What the site has; null where its files do not tell.'),
  newest: z.string(),
  origin: z
    .enum(['placed', 'offered'])
    .describe('Whether it lies on this host, or the WordPress of the site was offered it.'),
})

/** What can be updated of a WordPress. */
export const extensionUpdatesSchema = named('WordpressExtensionUpdates', {
  updates: z.array(extensionUpdateSchema),
  asked: z.boolean().describe('Whether its own WordPress asked anew, and was answered.'),
})

/** What an update of plugins and themes did. */
export const updatedExtensionsSchema = named('UpdatedWordpressExtensions', {
  path: z.string(),
  backup: z
    .string()
    .nullable()
    .describe('What was made before: the id of a snapshot, or name of a backup.'),
  results: z.array(
    z.object({
      kind: kind(),
      slug: slug(),
      from: z.string().nullable(),
      to: z.string().describe('What it was to become.'),
      outcome: z.enum(['updated', 'failed']),
      error: z.string().nullable().describe('Why it is as it was before.'),
    }),
  ),
})

/** An archive of a plugin or theme that the administrator has placed. */
export const wordpressPackageSchema = named('WordpressPackage', {
  file: z.string(),
  kind: kind().nullable(),
  slug: slug().nullable(),
  name: z.string().nullable(),
  version: z.string().nullable(),
  problem: z.string().nullable().describe('Why it is refused; null: it is fine.'),
})
