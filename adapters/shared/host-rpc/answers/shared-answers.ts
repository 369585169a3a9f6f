import { z } from 'zod'
import { few, line, long, short } from './answer-shapes.ts'

/** `RestoredFiles` of the ports. */
export const restoredFilesAnswer = z.object({ files: z.number(), bytes: z.number() })

/** `DatabaseRights` of the ports. */
export const databaseRightsAnswer = z.enum(['all', 'read', 'write'])

/** `DatabaseGrant` of the ports. */
export const databaseGrantAnswer = z.object({ database: short, rights: databaseRightsAnswer })

/** `CertificateFiles` of the ports. */
export const certificateFilesAnswer = z.object({ certificate: line, key: line, chain: long })

/** `InstalledCertificate` of the ports. */
export const installedCertificateAnswer = z.object({
  version: short,
  san: few(line),
  subject: line,
  issuer: line,
  serial: short,
  issued_at: short,
  expires_at: short,
  files: certificateFilesAnswer,
})
