import { writeFileSync } from 'node:fs'
import { makeCertificate } from '#test/support/make-certificate.ts'
import type { Stage } from './stage.ts'

/** Puts `bench.crt` and `bench.key`, one ECDSA P-256 pair for all servers, on the stage; answers the lines of a virtual host. */
export const stageCertificate = (stage: Stage): string => {
  const { certificate, key } = makeCertificate({ names: ['bench.test'] })
  writeFileSync(stage.path('bench.crt'), certificate)
  writeFileSync(stage.path('bench.key'), key)
  return `ssl_certificate = "${stage.path('bench.crt')}"\nssl_certificate_key = "${stage.path('bench.key')}"`
}
