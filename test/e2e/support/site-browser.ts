import { chromium, type Browser } from 'playwright-core'
import type { Instance } from '#test/support/instance-types.ts'

/** Chromium that finds every host name at the instance's web server, over plain http. */
export const launchSiteBrowser = (instance: Instance): Promise<Browser> =>
  chromium.launch({
    executablePath: '/usr/bin/chromium',
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--host-resolver-rules=MAP * 127.0.0.1:${instance.webPort}`,
    ],
  })
