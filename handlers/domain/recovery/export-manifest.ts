import { z } from 'zod'
import { LOGINS, parseMemberName } from './member-name.ts'

/** The form of exports that this program writes, and the newest that it reads. */
const EXPORT_VERSION = 1
const FORMAT = 'berth panel export'

/** First member of every export, so that a newer form is known before anything else is read. */
export const ABOUT = 'about.json'
/** What all other members are; the last but one. */
export const MANIFEST = 'manifest.json'
/** Ed25519 signature of the manifest's bytes by the machine's proof key, base64; the last. */
export const SIGNATURE = 'manifest.sig'

/** Members that are read into memory. */
export const MAX_TEXT_BYTES = 64 * 2 ** 20

const aboutSchema = z.object({
  format: z.literal(FORMAT),
  version: z.int().min(1),
  id: z.string().regex(/^[0-9a-f]{32}$/),
})

/** Identity of one export. */
export type About = z.infer<typeof aboutSchema>

const absolute = z
  .string()
  .max(4096)
  .refine(
    (path) =>
      path.startsWith('/') &&
      !/[\0\r\n]/.test(path) &&
      !path.split('/').some((part, index) => index > 0 && ['', '.', '..'].includes(part)),
    'is no plain absolute path',
  )

/** Users and groups by what they are for: their numbers differ from machine to machine. Other numbers are of accounts. */
const owner = z.union([
  z.enum(['root', 'panel', 'web', 'conf', 'crontab']),
  z.int().min(1000).max(4_294_967_293),
])
/** Whose a file is: a word for the product's own users, a number for those of accounts. */
export type Owner = z.infer<typeof owner>

const memberSchema = z.object({
  name: z.string().refine((name) => name === LOGINS || parseMemberName(name) !== null),
  size: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  mode: z.int().min(0).max(0o777),
  user: owner,
  group: owner,
  /** Of `named/…`: where the configuration looks for it. */
  path: absolute.optional(),
})
/** A file in an export: its name there, bytes, SHA-256, permission bits, and whose it is. */
export type Member = z.infer<typeof memberSchema>

const manifestSchema = z.object({
  format: z.literal(FORMAT),
  version: z.literal(EXPORT_VERSION),
  id: z.string().regex(/^[0-9a-f]{32}$/),
  /** UTC, `YYYY-MM-DD HH:MM:SS`. */
  made_at: z.string().max(30),
  /** Version of the product. */
  made_by: z.string().max(100),
  host: z.string().max(300),
  config_file: absolute,
  state_dir: absolute,
  accounts: z
    .array(z.object({ username: z.string().regex(/^[a-z0-9]{3,16}$/), uid: z.int() }))
    .max(1_000_000),
  /** What accounts use, to be looked for on another machine. */
  needs: z.object({ php: z.array(z.string().max(10)), engines: z.array(z.string().max(20)) }),
  /** What is known of the recovery kit in force, which stays in force; null: none was made. */
  kit: z
    .object({
      fingerprint: z.string().max(100),
      made_at: z.string().max(30),
      verified_at: z.string().max(30).nullable(),
    })
    .nullable(),
  /** What should be in it and is not, in words. */
  left_out: z.array(z.string().max(5000)),
  members: z.array(memberSchema).max(1_000_000),
})
/** What an export says of itself and of its members. */
export type ExportManifest = z.infer<typeof manifestSchema>

/** Why an export is refused; the text is for the person at the terminal. */
export class ExportError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ExportError'
  }
}

const read = (text: string, what: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ExportError(`This is no panel export: its ${what} cannot be read.`, { cause: error })
  }
}

/** Content of `about.json`, with a line end; `id` is 32 hexadecimal digits. */
export const aboutText = (id: string): string =>
  `${JSON.stringify({ format: FORMAT, version: EXPORT_VERSION, id } satisfies About)}\n`

/** Refuses what is no export, and one of a newer program. */
export const parseAbout = (text: string): About => {
  const parsed = aboutSchema.safeParse(read(text, ABOUT))
  if (!parsed.success) throw new ExportError('This is no panel export.')
  if (parsed.data.version > EXPORT_VERSION)
    throw new ExportError(
      `This export was written by a newer Berth (form ${parsed.data.version}, this one reads up to ${EXPORT_VERSION}). Install that version, then import.`,
    )
  return parsed.data
}

/** Content of `manifest.json`, with a line end, in the newest form. */
export const manifestText = (facts: Omit<ExportManifest, 'format' | 'version'>): string =>
  `${JSON.stringify({ format: FORMAT, version: EXPORT_VERSION, ...facts } satisfies ExportManifest, null, 1)}\n`

/** Refuses a manifest whose values are none that this program writes, or that names a member twice. */
export const parseExportManifest = (text: string): ExportManifest => {
  const parsed = manifestSchema.safeParse(read(text, MANIFEST))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new ExportError(
      `The list of what is in this export has a form that is not known (${issue?.path.join('.') ?? ''}).`,
    )
  }
  const names = new Set(parsed.data.members.map(({ name }) => name))
  if (names.size !== parsed.data.members.length)
    throw new ExportError('The list of what is in this export names a file twice.')
  return parsed.data
}
