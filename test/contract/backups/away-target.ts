import type { RemoteTarget } from '#handlers/ports/host/backups/backups.ts'

/** A target as a configuration has it. */
export const AWAY: RemoteTarget = {
  name: 'away',
  type: 's3',
  source: 'configuration',
  endpoint: 'https://s3.example.com',
  bucket: 'b',
  path: null,
  region: null,
  username: null,
  access_key_id: 'AKIA',
  host_key: null,
  allow_private: false,
  is_default: true,
}
