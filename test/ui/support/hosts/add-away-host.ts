import type { HostStore } from '#handlers/ports/store/host-store.ts'

/** Records a machine that does not answer since the beginning of 2026. */
export const addAwayHost = async (store: HostStore, name: string): Promise<void> => {
  const seen_secs = Date.UTC(2026, 0, 1) / 1000
  await store.insertHost({
    ...{ name, role: 'host', address: '192.0.2.20:7072', link_id: `host-${name}`, weight: 1 },
    ...{ certificate: 'PEM', join_key: null, join_until_secs: null, state: 'open', seen_secs },
    ...{ misses: 3, disk_free_percent: 40, php_versions: '[]', trust_version: 0 },
    created_at: '2026-01-01 00:00:00',
  })
}
