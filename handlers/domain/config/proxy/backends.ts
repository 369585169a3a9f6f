import type { ProxyRule, VirtualHostConfig } from '../virtual-host-config.ts'

/** Name under which rules reach the application of `[virtualhost.proxy]`. */
export const MAIN_BACKEND = 'proxy'

/** How a target of a rule with the flag `P` begins; the name of a backend follows, then a path. */
export const BACKEND_SCHEME = 'backend://'

/** Every application of a virtual host with the keys that say it. */
export const applicationsOf = ({
  proxy,
  backends = {},
}: Pick<VirtualHostConfig, 'proxy' | 'backends'>): { key: string[]; rule: ProxyRule }[] => [
  ...(proxy === null ? [] : [{ key: ['proxy'], rule: proxy }]),
  ...Object.entries(backends).map(([name, rule]) => ({ key: ['backends', name], rule })),
]

/** The application that rules call by this name; null: there is none. */
export const backendNamed = (
  { proxy, backends }: Pick<VirtualHostConfig, 'proxy' | 'backends'>,
  name: string,
): ProxyRule | null => {
  if (name === MAIN_BACKEND) return proxy
  return backends !== undefined && Object.hasOwn(backends, name) ? (backends[name] ?? null) : null
}

/** Names that rules of the host's own configuration pass on to, and that it does not have. */
export const unknownBackends = (host: VirtualHostConfig): string[] => {
  const texts = [...host.rewrites.map(({ target }) => target), host.rules ?? '']
  const named = texts.flatMap((text) =>
    [...text.matchAll(/backend:\/\/([^\s/"?]{0,100})/g)].map(([, name = '']) => name),
  )
  return [...new Set(named)].filter((name) => backendNamed(host, name) === null)
}
