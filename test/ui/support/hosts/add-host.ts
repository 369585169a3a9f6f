import type { HostStore } from '#handlers/ports/store/host-store.ts'

/** Records a machine; one that is away has not answered since the beginning of 2026. */
export const addHost = async (
  store: HostStore,
  { name, away }: { name: string; away: boolean },
): Promise<void> => {
  const seen_secs = Math.floor((away ? Date.UTC(2026, 0, 1) : Date.now()) / 1000)
  await store.insertHost({
    ...{ name, role: 'host', address: '192.0.2.20:7072', link_id: `host-${name}`, weight: 1 },
    ...{ certificate: 'PEM', join_key: null, join_until_secs: null, state: 'open', seen_secs },
    ...{ misses: away ? 3 : 0, disk_free_percent: 40, php_versions: '[]', trust_version: 0 },
    next_certificate: null,
    created_at: '2026-01-01 00:00:00',
  })
}
