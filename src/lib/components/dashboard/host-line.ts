import type { ApiResult, SystemInfo, WebServerStatus } from '../../api/types.ts'
import { decimal } from '../../format/decimal.ts'
import { texts } from '../../texts/index.ts'

/**
 * The one sentence about the host below the dashboard's title. Busy is a host whose load of five
 * minutes is above the number of its cores: some of what wants to run waits. (That of one minute
 * is above it with every backup.)
 */
export const hostLine = (
  info: ApiResult<SystemInfo>,
  webServer: ApiResult<WebServerStatus>,
): string => {
  const t = texts.dashboard
  if (!info.ok || !webServer.ok) return t.unknown
  const { hostname, load_average: loads, cpu_count: cores } = info.data
  if (!webServer.data.running) return t.stopped(hostname)
  const [, load] = loads
  // As it is said: a load that reads like the number of cores is not above it.
  const isBusy = Number(load.toFixed(1)) > cores
  return isBusy ? t.busy(hostname, decimal(load, 1), cores) : t.running(hostname)
}
