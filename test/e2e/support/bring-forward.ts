import { mustRun } from '#adapters/node/process/run-command.ts'
import { instance } from '#test/support/setups/shared-instance.ts'

/** Has a planned post's time come, in the post and in WordPress' list of what is to be done. */
export const bringForward = async (database: string, id: number, due: Date): Promise<void> => {
  const second = due.getTime() / 1000
  await mustRun('mariadb', [
    '--no-defaults',
    `--socket=${instance.config.paths.run_dir}/mariadb/mariadb.sock`,
    '-e',
    `UPDATE wp_posts SET post_date = post_date - INTERVAL 1 HOUR, post_date_gmt = post_date_gmt - INTERVAL 1 HOUR WHERE ID = ${id};
     UPDATE wp_options SET option_value = REPLACE(option_value, 'i:${second};', 'i:${second - 3600};') WHERE option_name = 'cron'`,
    database,
  ])
}
