import { mkdirSync } from 'node:fs'
import { startBerth } from '../peers/berth.ts'
import { startNginx } from '../peers/nginx.ts'
import { BENCH_HOST } from './page-side.ts'
import { stageCertificate } from './stage-certificate.ts'
import type { Stage } from './stage.ts'

/** Starts nginx and Berth over one document root without PHP or rules; `root/static` of the stage is empty. */
export const startStaticPeers = async (
  stage: Stage,
): Promise<{
  nginx: Awaited<ReturnType<typeof startNginx>>
  berth: Awaited<ReturnType<typeof startBerth>>
}> => {
  stageCertificate(stage)
  mkdirSync(stage.path('root/static'), { recursive: true })
  const root = stage.path('root')
  const nginx = await startNginx(stage, { origin: 9, root })
  const berth = await startBerth(stage, {
    more: `
[[virtualhost]]
domain = "${BENCH_HOST}"
root = "${root}"
htaccess = false
[virtualhost.php]
enable = false
`,
  })
  return { nginx, berth }
}
