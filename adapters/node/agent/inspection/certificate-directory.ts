import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { InspectedCertificate } from '#handlers/ports/host/inspection.ts'
import type { Registry } from '../registry/types.ts'

const FILES = ['certificate.pem', 'key.pem', 'chain.pem']

const namesIn = async (directory: string): Promise<string[]> => {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

const isWhole = async (directory: string): Promise<boolean> => {
  const stats = await Promise.all(
    FILES.map((file) => lstat(join(directory, file)).catch(() => null)),
  )
  return stats.every((stat) => stat?.isFile() === true)
}

/** What is kept below the certificate directory, beside what the records have. */
export const inspectCertificates = async (
  registry: Pick<Registry, 'certificates'>,
  directory: string,
): Promise<InspectedCertificate[]> => {
  const recorded = new Map(registry.certificates().map((row) => [row.domain, row.username]))
  const domains = new Set([...recorded.keys(), ...(await namesIn(directory))])
  const found: InspectedCertificate[] = []
  for (const domain of [...domains].sort()) {
    const place = join(directory, domain)
    const versions: string[] = []
    // A name with a dot in front is a pair that is just being written.
    for (const version of (await namesIn(place)).filter((name) => !name.startsWith('.')))
      if (await isWhole(join(place, version))) versions.push(version)
    found.push({
      domain,
      username: recorded.get(domain) ?? null,
      recorded: recorded.has(domain),
      versions,
    })
  }
  return found
}
