import { detectPhp } from '../../../machine/find-php.ts'

/** The newest php-fpm that is installed, null where there is none. */
export const findPhp = async (): Promise<string | null> =>
  (await detectPhp()).find(({ binaries }) => binaries.fpm !== undefined)?.binaries.fpm ?? null
