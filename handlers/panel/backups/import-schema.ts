import { z } from 'zod'
import type {
  AccountRecord,
  ArchiveFacts,
  FoundArchive,
} from '../../ports/host/backups/archived-records.ts'
import type { DeletedAccount, InspectedArchive } from '../../services/backups/import/imports.ts'
import { NEEDED_CHOICES } from '../../services/backups/import/plan-import.ts'
import { accountSchema } from '../accounts/schema.ts'
import { count, recordId, timestamp } from '../frame/common-schemas.ts'

const engine = z.enum(['mariadb', 'mysql', 'postgresql'])

/** A file that looks like an archive. */
export const foundSchema = z
  .object({
    path: z.string(),
    filename: z.string(),
    size_bytes: count(),
    known: z.boolean().describe('Whether it is a backup that the panel has a record of.'),
  })
  .meta({ id: 'FoundArchive' })

/** What is in an archive, and what becomes of it. */
export const inspectedSchema = z
  .object({
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    size_bytes: count(),
    version: count().describe('Of the format; docs/backup-format.md.'),
    made_by: z.string().nullable(),
    created_at: z.string(),
    username: z.string().describe('Of the account that it was made of.'),
    uid: z.int().nullable(),
    uid_is_free: z.boolean(),
    proof: z
      .enum(['own', 'known', 'unproved'])
      .describe(
        'own: made by this host; known: by a host whose key lies here; unproved: anybody may have made it.',
      ),
    key_id: z.string().nullable().describe('Key that its passwords are sealed with.'),
    has_secrets: z.boolean().describe('Whether passwords and keys in it can be read here.'),
    home_entries: count(),
    home_bytes: count(),
    databases: z.array(
      z.object({
        engine,
        database: z.string(),
        user: z.string().nullable(),
        size_bytes: count(),
        has_password: z.boolean(),
        to: z.string().nullable().describe('Its name here.'),
      }),
    ),
    account: z
      .object({
        username: z.string(),
        domain: z.string(),
        email: z.string(),
        plan: z.string(),
        domains: z.array(
          z.object({ from: z.string().nullable(), to: z.string(), domain_type: z.string() }),
        ),
        certificates: z.array(z.string()),
      })
      .nullable()
      .describe('The account that would be made; null: problems say why there is none.'),
    archived: z
      .object({
        email: z.string(),
        plan: z.string(),
        php_version: z.string().nullable(),
        suspended: z.boolean(),
        domains: z.array(z.object({ domain_name: z.string(), domain_type: z.string() })),
        certificates: z.array(z.string()),
      })
      .nullable()
      .describe('The account as it was; empty where the archive does not tell it. Null: nothing.'),
    report: z
      .array(
        z.object({
          what: z.enum(['taken', 'changed', 'left']),
          subject: z.string(),
          reason: z.string(),
        }),
      )
      .describe("Of another panel's archive, what becomes of each thing in it; else empty."),
    former_homes: z
      .array(z.string())
      .describe('Homes that absolute paths in its files may lie in.'),
    configs: z
      .array(z.object({ path: z.string(), paths: count() }))
      .describe(
        'Known configuration files that name such a home, with how many paths; fix_configs points these at the home here, where it is another one. The first thousand.',
      ),
    problems: z.array(z.string()).describe('What stands in the way; empty: it can be brought in.'),
    collisions: z
      .array(z.string())
      .describe('Those of the problems that choosing what is missing does not solve.'),
    missing: z
      .array(z.enum(NEEDED_CHOICES))
      .describe('What has to be chosen, since the archive does not tell it.'),
    notes: z.array(z.string()).describe('What would be otherwise than it was.'),
  })
  .meta({ id: 'InspectedArchive' })

/** What an import has made. */
export const importedSchema = z.object({
  account: accountSchema,
  notes: z.array(z.string()).describe('What is otherwise than it was, or was left out.'),
})

/** An account that is gone and has backups. */
export const deletedAccountSchema = z
  .object({
    account_id: recordId(),
    username: z.string(),
    backups: count(),
    snapshots: count(),
    newest_at: timestamp(),
  })
  .meta({ id: 'DeletedAccount' }) satisfies z.ZodType<DeletedAccount>

export const foundView = ({
  path,
  filename,
  sizeBytes,
  known,
}: FoundArchive & { known: boolean }) => ({
  path,
  filename,
  size_bytes: sizeBytes,
  known,
})

const factsView = (facts: ArchiveFacts) => ({
  sha256: facts.sha256,
  size_bytes: facts.sizeBytes,
  version: facts.version,
  made_by: facts.madeBy,
  created_at: facts.createdAt,
  username: facts.username,
  uid: facts.uid,
  uid_is_free: facts.uidIsFree,
  proof: facts.proof,
  key_id: facts.keyId,
  has_secrets: facts.hasSecrets,
  home_entries: facts.homeEntries,
  home_bytes: facts.homeBytes,
  former_homes: facts.formerHomes,
  configs: facts.configs,
  report: facts.report,
})

const archivedView = ({ account, domains, certificates }: AccountRecord) => ({
  email: account.email,
  plan: account.plan,
  php_version: account.php_version,
  suspended: account.suspended,
  domains: domains.map(({ domain_name, domain_type }) => ({ domain_name, domain_type })),
  certificates: certificates.map(({ domain }) => domain),
})

export const inspectedView = ({
  facts,
  plan,
  ...judgement
}: InspectedArchive): z.output<typeof inspectedSchema> => ({
  ...factsView(facts),
  archived: facts.record && archivedView(facts.record),
  databases: facts.databases.map(({ engine, database, user, sizeBytes, hasPassword }) => ({
    engine,
    database,
    user,
    size_bytes: sizeBytes,
    has_password: hasPassword,
    to: plan?.databases.find((one) => one.engine === engine && one.from === database)?.to ?? null,
  })),
  account: plan && {
    username: plan.username,
    domain: plan.primary.to,
    email: plan.email,
    plan: plan.plan,
    domains: [plan.primary, ...plan.domains].map(({ from, to, settings }) => ({
      from,
      to,
      domain_type: settings?.domain_type ?? 'primary',
    })),
    certificates: plan.certificates,
  },
  ...judgement,
})
