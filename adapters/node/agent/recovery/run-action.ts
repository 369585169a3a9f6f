import { z } from 'zod'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { ExportError } from '#handlers/domain/recovery/export-manifest.ts'
import { parseKit } from '#handlers/domain/recovery/kit-text.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { Lock } from './format/age.ts'
import { listUnconfirmed } from '../../layout/unconfirmed.ts'
import { confirmHooks, confirmHosts } from './import/confirm.ts'
import { exportPanel } from './export/export-panel.ts'
import { goLive } from './import/go-live.ts'
import { importPanel } from './import/import-panel.ts'
import type { Proof } from './format/read-export.ts'
import { makeKit, verifyKit } from './recovery-kit.ts'
import { readRecipient } from './format/recovery-keys.ts'

const secret = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('passphrase'), text: z.string() }),
  z.object({ kind: z.literal('kit'), text: z.string() }),
])

/** What the command line asks for, on standard input: secrets stand in no argument. */
export const requestSchema = z.discriminatedUnion('action', [
  /** `secret` null: for `recipient`, or where that is null too for the recovery kit. */
  z.object({
    action: z.literal('export'),
    file: z.string(),
    secret: secret.nullable(),
    recipient: z.string().nullable(),
  }),
  z.object({ action: z.literal('import'), file: z.string(), secret }),
  z.object({ action: z.literal('live') }),
  z.object({ action: z.literal('confirm'), what: z.enum(['hooks', 'hosts', 'nothing']) }),
  z.object({ action: z.literal('kit'), renew: z.boolean() }),
  z.object({ action: z.literal('verify-kit'), text: z.string() }),
])
export type Request = z.infer<typeof requestSchema>

/** Shorter ones are found by trying. */
const MIN_PASSPHRASE = 12

const lockOf = (config: ServerConfig, request: Extract<Request, { action: 'export' }>): Lock => {
  if (request.secret?.kind === 'passphrase') {
    if (request.secret.text.length < MIN_PASSPHRASE)
      throw new ExportError(
        `The passphrase is too short: at least ${MIN_PASSPHRASE} characters, or five random words.`,
      )
    return { passphrase: request.secret.text }
  }
  const recipient = request.recipient ?? readRecipient(config.paths.secrets_dir)
  if (recipient !== null) return { recipient }
  throw new ExportError('There is no recovery kit yet: berth panel recovery-kit, or --passphrase.')
}

const proofOf = ({ kind, text }: z.infer<typeof secret>): Proof => {
  if (kind === 'passphrase') return { key: { passphrase: text }, proof: null }
  const { identity, proof } = parseKit(text)
  return { key: { identity }, proof }
}

/** Carries out what root's command line asks for; answers what it shows. */
export const runAction = async (
  config: ServerConfig,
  request: Request,
  log: Log,
): Promise<unknown> => {
  switch (request.action) {
    case 'export':
      return exportPanel(config, request.file, lockOf(config, request))
    case 'import':
      return importPanel(config, request.file, proofOf(request.secret), log)
    case 'live':
      return goLive(config)
    case 'confirm':
      if (request.what === 'hooks') return { hooks: confirmHooks(config), hosts: [] }
      if (request.what === 'hosts') return { hooks: [], hosts: await confirmHosts(config) }
      return listUnconfirmed(config)
    case 'kit':
      return { kit: await makeKit(config, request.renew) }
    case 'verify-kit':
      return verifyKit(config, request.text)
  }
}
