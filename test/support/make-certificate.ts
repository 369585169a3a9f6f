import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** PEM texts. */
export interface MadeCertificate {
  certificate: string
  key: string
}

const openssl = (directory: string, args: string[]): void => {
  execFileSync('/usr/bin/openssl', args, { cwd: directory, stdio: 'ignore' })
}

/**
 * A certificate made with openssl: self-signed, or by `issuer`. `days` may be
 * negative: it has expired then. With `authority` it may sign others.
 */
export const makeCertificate = (options: {
  names: string[]
  issuer?: MadeCertificate
  days?: number
  authority?: boolean
  addresses?: string[]
}): MadeCertificate => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-certificate-'))
  try {
    const { names, issuer, days = 30, authority = false, addresses = [] } = options
    const alternatives = [
      ...names.map((name) => `DNS:${name}`),
      ...addresses.map((address) => `IP:${address}`),
    ].join(',')
    const config = [
      '[req]\nprompt=no\ndistinguished_name=dn\n[dn]',
      `CN=${names[0] ?? 'nobody'}`,
      '[ext]',
      `basicConstraints=critical,CA:${authority ? 'TRUE' : 'FALSE'}`,
      `subjectAltName=${alternatives}`,
      'subjectKeyIdentifier=hash',
      ...(authority ? ['keyUsage=critical,keyCertSign,cRLSign'] : []),
    ].join('\n')
    writeFileSync(join(directory, 'config'), `${config}\n`)
    openssl(directory, ['ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'key'])
    openssl(directory, ['req', '-new', '-key', 'key', '-config', 'config', '-out', 'request'])
    if (issuer !== undefined) {
      writeFileSync(join(directory, 'ca'), issuer.certificate)
      writeFileSync(join(directory, 'ca-key'), issuer.key)
    }
    const iso = (ms: number): string =>
      `${new Date(ms).toISOString().slice(0, 19).replace(/[-T:]/g, '')}Z`
    const endMs = Date.now() + days * 86_400_000
    const startMs = Math.min(Date.now() - 60_000, endMs - 86_400_000)
    // `ca` alone takes dates in the past.
    writeFileSync(join(directory, 'index'), '')
    writeFileSync(
      join(directory, 'ca-config'),
      '[ca]\ndefault_ca=d\n[d]\ndatabase=index\nrand_serial=yes\nnew_certs_dir=.\ndefault_md=sha256\npolicy=p\nemail_in_dn=no\n[p]\nCN=supplied\n',
    )
    const by =
      issuer === undefined
        ? ['-selfsign', '-keyfile', 'key']
        : ['-cert', 'ca', '-keyfile', 'ca-key']
    openssl(directory, [
      ...['ca', '-batch', '-notext', '-config', 'ca-config', ...by],
      ...['-startdate', iso(startMs), '-enddate', iso(endMs)],
      ...['-extfile', 'config', '-extensions', 'ext', '-in', 'request', '-out', 'certificate'],
    ])
    const read = (name: string): string => readFileSync(join(directory, name), 'utf8')
    return { certificate: read('certificate'), key: read('key') }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
