import type { ServerConfig } from '#handlers/domain/config/config-types.ts'

/** The first start copies the product and makes a database server. */
const USUAL_SECS = 300
/** Agent and panel start beside the workers, and each reads as much code. */
const OF_A_WORKER = 5

/** Seconds that a start of the whole may take: more where `worker_start_secs` tells that the machine is slow. */
export const startLimitSecs = ({ server }: Pick<ServerConfig, 'server'>): number =>
  Math.max(USUAL_SECS, OF_A_WORKER * server.worker_start_secs)
