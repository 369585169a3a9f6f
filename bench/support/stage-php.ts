import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startPhpSite } from '#test/node/web-server/support/php-site.ts'
import { pin, SERVER_CPU } from './load/pin.ts'
import { treeOf } from './process-tree.ts'
import type { Stage } from './stage.ts'

/** A master of php-fpm on the server's processor, which all servers may ask, and `/page.php` that answers `body`. */
export const stagePhp = async (stage: Stage, body: string) => {
  const before = new Set(treeOf([process.pid]).map(({ pid }) => pid))
  const site = await startPhpSite(stage.directory)
  stage.later(() => site.stop())
  const fpm = treeOf([process.pid]).filter(({ pid }) => !before.has(pid))
  await pin(
    fpm.map(({ pid }) => pid),
    SERVER_CPU,
  )
  chmodSync(site.socket, 0o666)
  writeFileSync(
    join(site.root, 'page.php'),
    `<?php header('Content-Type: text/html; charset=utf-8'); ?>${body}`,
  )
  return site
}
