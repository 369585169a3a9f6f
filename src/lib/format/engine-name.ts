import type { DatabaseEngine } from '$lib/api/types'

const NAMES: Record<DatabaseEngine, string> = {
  mariadb: 'MariaDB',
  mysql: 'MySQL',
  postgresql: 'PostgreSQL',
}

/** An engine's proper name. */
export const engineName = (engine: DatabaseEngine): string => NAMES[engine]
