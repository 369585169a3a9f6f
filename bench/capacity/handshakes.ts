import { once } from 'node:events'
import { connect } from 'node:tls'
import { originHost, startBerth } from '../peers/berth.ts'
import { startOrigin } from '../support/origin.ts'
import { BENCH_HOST } from '../support/page-side.ts'
import { cpuSeconds } from '../support/process-tree.ts'
import { stageCertificate } from '../support/stage-certificate.ts'
import { onStage } from '../support/stage.ts'
import type { Part } from './input.ts'

const WARM = 100

/** Full handshakes of TLS 1.3, one after the other, none of them resumed. */
const shake = async (port: number, count: number): Promise<void> => {
  for (let at = 0; at < count; at++) {
    const socket = connect({
      ...{ host: '127.0.0.1', port, servername: BENCH_HOST },
      // The certificate of this run was made for it, by nobody.
      rejectUnauthorized: false,
    })
    await once(socket, 'secureConnect')
    socket.destroy()
    await once(socket, 'close')
  }
}

export const handshakes: Part = {
  name: 'handshakes',
  measure: ({ quick }) =>
    onStage(async (stage) => {
      const count = quick ? 100 : 2000
      const certificate = stageCertificate(stage)
      const origin = await startOrigin(stage)
      const web = await startBerth(stage, { more: originHost(BENCH_HOST, origin, certificate) })
      await shake(web.sslPort, WARM)
      const before = cpuSeconds([web.pid])
      await shake(web.sslPort, count)
      const value = ((cpuSeconds([web.pid]) - before) * 1000) / count
      const what = 'a full handshake of TLS 1.3, ECDSA P-256, with its connection'
      return [{ symbol: 'ts', what, value, unit: 'ms of a processor' }]
    }),
}
