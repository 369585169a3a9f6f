import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { nameFor } from '#handlers/domain/domains/wildcard-name.ts'
import type { ConfigProblem } from '#handlers/domain/config/config-types.ts'
import type { PlacedVirtualHost } from '#handlers/domain/config/server-config.ts'
import { problemAt } from '#handlers/domain/config/problems.ts'
import type { PlacedConfig } from '../config-loader.ts'

const DAY_MS = 86_400_000
/** Renewal has had two weeks by then. */
const SOON_DAYS = 14

const reasonOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && error.code === 'EACCES'
    ? 'this user may not read it'
    : error instanceof Error
      ? error.message
      : String(error)

/** What is wrong with a certificate and its key; `key` says which of the two files. */
interface Fault {
  key: 'certificate' | 'key'
  message: string
}

const day = (date: Date): string => date.toISOString().slice(0, 10)

const timeFault = (certificate: X509Certificate, path: string, nowMs: number): Fault[] => {
  const leftMs = certificate.validToDate.getTime() - nowMs
  const until = day(certificate.validToDate)
  if (leftMs <= 0)
    return [{ key: 'certificate', message: `"${path}" expired on ${until}. Renew it.` }]
  if (certificate.validFromDate.getTime() > nowMs)
    return [
      {
        key: 'certificate',
        message: `"${path}" is valid from ${day(certificate.validFromDate)} on only. Check the clock.`,
      },
    ]
  if (leftMs > SOON_DAYS * DAY_MS) return []
  const days = Math.floor(leftMs / DAY_MS)
  return [
    {
      key: 'certificate',
      message: `"${path}" expires on ${until}, in ${days} ${days === 1 ? 'day' : 'days'}. Renew it.`,
    },
  ]
}

/** Everything suspicious about a pair of files, for the names that it should be for. */
export const certificateFaults = (
  files: { certificate: string; key: string },
  names: readonly string[],
  nowMs: number,
): Fault[] => {
  let certificate: X509Certificate
  try {
    certificate = new X509Certificate(readFileSync(files.certificate))
  } catch (error) {
    return [
      {
        key: 'certificate',
        message: `"${files.certificate}" cannot be used: ${reasonOf(error)}. Replace it, or its mode.`,
      },
    ]
  }
  const faults = timeFault(certificate, files.certificate, nowMs)
  const foreign = names.filter((name) => certificate.checkHost(nameFor(name)) === undefined)
  if (foreign.length > 0)
    faults.push({
      key: 'certificate',
      message: `"${files.certificate}" is not for ${foreign.join(', ')}. Obtain one that names ${foreign.length === 1 ? 'it' : 'them'}.`,
    })
  try {
    if (!certificate.checkPrivateKey(createPrivateKey(readFileSync(files.key))))
      faults.push({
        key: 'key',
        message: `"${files.key}" is the key of another certificate. Replace one of the two.`,
      })
  } catch (error) {
    faults.push({
      key: 'key',
      message: `"${files.key}" cannot be used: ${reasonOf(error)}. Replace it, or its mode.`,
    })
  }
  return faults
}

const ofHost = ({ host, at, place }: PlacedVirtualHost, nowMs: number): ConfigProblem[] => {
  const { ssl_certificate: certificate, ssl_certificate_key: key } = host
  if (certificate === null || key === null) return []
  return certificateFaults({ certificate, key }, [host.domain, ...host.aliases], nowMs).map(
    (fault) =>
      problemAt(
        place,
        [...at, fault.key === 'key' ? 'ssl_certificate_key' : 'ssl_certificate'],
        fault.message,
      ),
  )
}

/** Certificates of virtual hosts and of the panel that are expired, soon will be, or belong to others. */
export const certificateSuspicions = (
  { config, main, hosts }: PlacedConfig,
  nowMs: number,
): ConfigProblem[] => {
  const { tls_certificate: certificate, tls_certificate_key: key } = config.panel
  const own =
    certificate === null || key === null
      ? []
      : certificateFaults({ certificate, key }, [], nowMs).map((fault) =>
          problemAt(
            main.place,
            ['panel', fault.key === 'key' ? 'tls_certificate_key' : 'tls_certificate'],
            fault.message,
          ),
        )
  return [...own, ...hosts.flatMap((host) => ofHost(host, nowMs))]
}
