import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { HostInspection, InspectedVirtualHost } from '#handlers/ports/host/inspection.ts'
import type { VirtualHostSpec } from '#handlers/ports/host/web-server.ts'
import type { Registry } from '../registry/types.ts'
import { checkSpec } from '../domains/check-spec.ts'
import { vhostFileName } from '../domains/vhost-files.ts'

const SUFFIX = '.toml'

/** The recorded hosts with the state of their generated files, and the files beside them. */
export const inspectVirtualHosts = async (
  registry: Registry,
  directory: string,
  sslDirectory: string,
): Promise<Pick<HostInspection, 'virtualHosts' | 'strayVirtualHostFiles'>> => {
  /** Null where the record would not be written today, e.g. because its account is gone. */
  const rendered = (spec: VirtualHostSpec): string | null => {
    try {
      return checkSpec(spec, registry, sslDirectory).text
    } catch {
      return null
    }
  }
  const stateOf = async (spec: VirtualHostSpec): Promise<InspectedVirtualHost['file']> => {
    const text = await readFile(join(directory, vhostFileName(spec.domain)), 'utf8').catch(
      () => null,
    )
    if (text === null) return 'missing'
    return text === rendered(spec) ? 'current' : 'changed'
  }
  const specs = registry.vhosts()
  const virtualHosts: InspectedVirtualHost[] = []
  for (const spec of specs) virtualHosts.push({ spec, file: await stateOf(spec) })
  const wanted = new Set(specs.map(({ domain }) => vhostFileName(domain)))
  const strayVirtualHostFiles = (await readdir(directory).catch(() => [])).filter(
    (name) => name.endsWith(SUFFIX) && !name.startsWith('.') && !wanted.has(name),
  )
  return { virtualHosts, strayVirtualHostFiles }
}
