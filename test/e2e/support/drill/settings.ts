import type { PanelClient } from '#test/support/panel-client.ts'

/** What time and traffic change by themselves, and how many copies lay on the disk that is lost. */
const PASSING = new Set([
  'bandwidth_used_mb',
  'disk_used_mb',
  'last_login_at',
  'last_used_at',
  'size_bytes',
  'tables',
  'stats',
  'observed',
  'used',
])

const withoutPassing = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutPassing)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !PASSING.has(key))
      .map(([key, inner]) => [key, withoutPassing(inner)]),
  )
}

/** Everything that the API tells of settings, by its path. */
export const settingsOf = async (
  panel: PanelClient,
  accounts: readonly number[],
): Promise<Record<string, unknown>> => {
  const paths = [
    '/api/accounts',
    '/api/domains',
    '/api/plans',
    '/api/users',
    '/api/tokens',
    '/api/php/config',
    '/api/ssl/certificates',
    '/api/backups/remote-targets',
    ...accounts.flatMap((id) => [
      `/api/accounts/${id}/limits`,
      `/api/cron/${id}`,
      `/api/databases/${id}`,
      `/api/backups/accounts/${id}?location=offsite`,
    ]),
  ]
  const domains = await panel.data<{ domain_name: string; domain_type: string }[]>(
    'GET',
    '/api/domains',
  )
  for (const { domain_name: name, domain_type: type } of domains)
    if (type !== 'alias') paths.push(`/api/domains?q=${name}`)
  const told: Record<string, unknown> = {}
  for (const path of paths) told[path] = withoutPassing(await panel.data<unknown>('GET', path))
  return told
}
