import { join } from 'node:path'
import type { ApplicationsService } from '#adapters/node/agent/applications/applications-port.ts'
import { serveFetch } from '#adapters/node/agent/fetch-server.ts'
import { createWebEnsureHandler } from '#adapters/node/agent/web-ensure-handler.ts'
import { renderVirtualHost } from '#handlers/domain/domains/vhost-config.ts'
import type { SiteApplication } from '#handlers/ports/host/web-server.ts'
import { hostSpec } from '#test/node/agent-php/host-fixture.ts'
import { serveHosts } from '../proxy/support/proxied-web.ts'
import { startWeb, type WebProcess } from '../web-server/support/web-process.ts'
import { createApplicationsFixture } from './applications-fixture.ts'
import type { ApplicationsFixture } from './applications-fixture.ts'

export const HOST = 'app.test'

/** Real applications behind a real web server of two workers, which may have them started. */
export interface VisitedFixture {
  on: ApplicationsFixture
  service: ApplicationsService
  web: WebProcess
  /** Has `HOST` answered by this one. */
  serve(application: SiteApplication): Promise<void>
  dispose(): Promise<void>
}

export const createVisitedFixture = async (): Promise<VisitedFixture> => {
  const on = await createApplicationsFixture()
  const service = on.createService()
  await service.start()
  const web = await startWeb({ workers: 2 })
  const ensures = await serveFetch({
    path: join(web.directory, 'run', 'agent-web.sock'),
    gid: null,
    handler: createWebEnsureHandler(
      {
        login: () => Promise.reject(new Error('nobody logs in here')),
        php: () => Promise.reject(new Error('no PHP here')),
        application: (domain) => service.ensure(domain),
      },
      on.host.log,
    ),
    log: on.host.log,
  })
  return {
    ...{ on, service, web },
    async serve(application) {
      const host = hostSpec(on.account, HOST, { php: null, application })
      on.host.registry.changeVhosts([host], [])
      await serveHosts(web, HOST, renderVirtualHost({ ...host, ...on.account }))
    },
    async dispose() {
      await web.remove()
      await ensures.close(0)
      await on.dispose()
    },
  }
}
