import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSelfSigned } from '#adapters/node/tls/self-signed.ts'
import type { WebProcess } from './web-process.ts'

/** Writes a pair `state/<name>.crt|.key` for `commonName`, as a renewal does; answers the lines of a virtual host. */
export const writeCertificate = (
  web: Pick<WebProcess, 'directory'>,
  name: string,
  commonName: string,
): string => {
  const { key, cert } = createSelfSigned(commonName)
  const base = join(web.directory, 'state', name)
  for (const [end, text] of [
    ['key', key],
    ['crt', cert],
  ] as const) {
    writeFileSync(`${base}.new`, text)
    renameSync(`${base}.new`, `${base}.${end}`)
  }
  return `ssl_certificate = "${base}.crt"\nssl_certificate_key = "${base}.key"`
}
