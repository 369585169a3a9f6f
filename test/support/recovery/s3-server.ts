import { createRequire } from 'node:module'
import { temporaryDirectory } from '../setups/temporary-directory.ts'

type S3rver = new (options: Record<string, unknown>) => {
  run(): Promise<{ port: number }>
  close(): Promise<void>
}

/** An S3 service of its own on 127.0.0.1, with one bucket. */
export interface S3Server {
  endpoint: string
  port: number
  bucket: string
  accessKeyId: string
  secretKey: string
  /** Where its objects lie. */
  directory: string
  dispose(): Promise<void>
}

/** Starts one, empty; a `strict` one looks at signatures, and restic cannot use it. */
export const startS3Server = async (bucket = 'backups', strict = false): Promise<S3Server> => {
  const Server = createRequire(import.meta.url)('@20minutes/s3rver') as S3rver
  const directory = temporaryDirectory('bs3-')
  const server = new Server({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    // It takes the signature of a path that ends in a slash, as restic's of a bucket does, for another one.
    allowMismatchedSignatures: !strict,
    configureBuckets: [{ name: bucket }],
  })
  const { port } = await server.run()
  return {
    endpoint: `http://127.0.0.1:${port}`,
    port,
    bucket,
    accessKeyId: 'S3RVER',
    secretKey: 'S3RVER',
    directory,
    dispose: () => server.close(),
  }
}

/** A default target there for `berth.toml`; its secret stands in `secretFile` beside that. */
export const s3TargetSettings = (
  { endpoint, bucket, accessKeyId }: S3Server,
  secretFile: string,
): string => `[[remote_target]]
name = "offsite"
type = "s3"
endpoint = "${endpoint}"
bucket = "${bucket}"
path = "berth"
access_key_id = "${accessKeyId}"
secret_key_file = "${secretFile}"
is_default = true
allow_private = true`
