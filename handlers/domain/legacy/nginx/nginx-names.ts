import { COOKIES_BACK, LEADS_BACK } from '../mapped-heads.ts'

const LOGS = 'Berth keeps its logs in [paths] log_dir, those of an account in its home.'
const PROCESSES = 'Berth’s processes and connections are set in [server].'
const COMPRESSION = 'Berth compresses what it stores by itself.'
const CIPHERS = 'Berth has safe settings of its own; versions of TLS are set in [ssl] protocols.'
const BUFFERS = 'Berth passes answers on as they come; its cache is set in [virtualhost.cache].'
const CACHE = 'Berth’s page cache is set in [cache] and [virtualhost.cache].'
const TYPES = 'Files have the types that their endings say.'
const NOTHING = 'Berth works without it.'
const LIMITS = 'Berth limits connections in [server], not requests of a site.'

const spread = (rows: readonly (readonly [string, string])[]): ReadonlyMap<string, string> =>
  new Map(
    rows.flatMap(([reason, names]) => names.split(' ').map((name) => [name, reason] as const)),
  )

/** Directives that are not missed, and why. */
export const NGINX_UNNEEDED = spread([
  [
    LOGS,
    'access_log error_log log_not_found log_subrequest log_format open_log_file_cache rewrite_log',
  ],
  [
    PROCESSES,
    'worker_processes worker_connections worker_rlimit_nofile worker_cpu_affinity events',
  ],
  [PROCESSES, 'multi_accept use user pid daemon master_process lock_file accept_mutex load_module'],
  [PROCESSES, 'worker_shutdown_timeout keepalive_requests keepalive keepalive_disable'],
  [
    PROCESSES,
    'client_header_timeout client_body_timeout send_timeout lingering_close lingering_time',
  ],
  [PROCESSES, 'lingering_timeout reset_timedout_connection client_header_buffer_size'],
  [
    PROCESSES,
    'large_client_header_buffers client_body_buffer_size client_body_temp_path thread_pool',
  ],
  [
    COMPRESSION,
    'gzip gzip_vary gzip_proxied gzip_comp_level gzip_buffers gzip_http_version gzip_types',
  ],
  [COMPRESSION, 'gzip_min_length gzip_disable gzip_static brotli brotli_types brotli_comp_level'],
  [COMPRESSION, 'brotli_static gunzip'],
  [
    CIPHERS,
    'ssl_protocols ssl_ciphers ssl_prefer_server_ciphers ssl_session_cache ssl_session_timeout',
  ],
  [CIPHERS, 'ssl_session_tickets ssl_dhparam ssl_ecdh_curve ssl_stapling ssl_stapling_verify'],
  [CIPHERS, 'ssl_trusted_certificate ssl_buffer_size ssl_early_data ssl_conf_command resolver'],
  [
    CIPHERS,
    'resolver_timeout http2 http2_push_preload http2_max_concurrent_streams http3 ssl quic_retry',
  ],
  [BUFFERS, 'fastcgi_buffers fastcgi_buffer_size fastcgi_busy_buffers_size fastcgi_buffering'],
  [BUFFERS, 'fastcgi_temp_file_write_size fastcgi_max_temp_file_size fastcgi_intercept_errors'],
  [BUFFERS, 'fastcgi_request_buffering'],
  [BUFFERS, 'proxy_buffers proxy_buffer_size proxy_busy_buffers_size proxy_buffering'],
  [BUFFERS, 'proxy_request_buffering proxy_max_temp_file_size proxy_temp_path fastcgi_temp_path'],
  [BUFFERS, 'proxy_http_version proxy_headers_hash_max_size'],
  [BUFFERS, 'proxy_headers_hash_bucket_size proxy_connect_timeout proxy_send_timeout'],
  [BUFFERS, 'proxy_ssl_server_name proxy_ssl_session_reuse proxy_next_upstream proxy_pass_header'],
  [BUFFERS, 'fastcgi_connect_timeout fastcgi_send_timeout fastcgi_read_timeout fastcgi_keep_conn'],
  [BUFFERS, 'fastcgi_pass_header fastcgi_ignore_headers fastcgi_next_upstream'],
  [
    CACHE,
    'fastcgi_cache fastcgi_cache_path fastcgi_cache_key fastcgi_cache_valid fastcgi_cache_bypass',
  ],
  [CACHE, 'fastcgi_no_cache fastcgi_cache_use_stale fastcgi_cache_lock fastcgi_cache_methods'],
  [CACHE, 'fastcgi_cache_min_uses fastcgi_cache_background_update fastcgi_cache_revalidate'],
  [CACHE, 'proxy_cache proxy_cache_path proxy_cache_key proxy_cache_valid proxy_cache_bypass'],
  [CACHE, 'proxy_no_cache proxy_cache_use_stale proxy_cache_lock proxy_cache_revalidate'],
  [
    CACHE,
    'proxy_cache_min_uses proxy_cache_background_update proxy_cache_methods proxy_ignore_headers',
  ],
  [TYPES, 'types default_type'],
  [LEADS_BACK, 'proxy_redirect'],
  [COOKIES_BACK, 'proxy_cookie_path'],
  [NOTHING, 'sendfile sendfile_max_chunk tcp_nopush tcp_nodelay aio directio types_hash_max_size'],
  [NOTHING, 'types_hash_bucket_size server_names_hash_bucket_size server_names_hash_max_size'],
  [
    NOTHING,
    'variables_hash_max_size variables_hash_bucket_size map_hash_bucket_size server_tokens',
  ],
  [NOTHING, 'map_hash_max_size open_file_cache open_file_cache_valid open_file_cache_min_uses'],
  [NOTHING, 'open_file_cache_errors charset_types port_in_redirect'],
  [NOTHING, 'server_name_in_redirect absolute_redirect disable_symlinks if_modified_since etag'],
  [NOTHING, 'fastcgi_index fastcgi_split_path_info fastcgi_script_name merge_slashes max_ranges'],
  [NOTHING, 'underscores_in_headers ignore_invalid_headers recursive_error_pages postpone_output'],
  [NOTHING, 'autoindex_exact_size autoindex_localtime'],
  ['Whoever asks too often is answered with 429.', 'limit_req_status limit_req_log_level'],
  [NOTHING, 'output_buffers read_ahead msie_padding msie_refresh chunked_transfer_encoding'],
])

/** Directives that are missed, and what to do instead. */
export const NGINX_LOST = spread([
  [LIMITS, 'limit_conn limit_rate'],
  [LIMITS, 'limit_conn_zone limit_conn_status limit_rate_after'],
  ['Berth has no such variables. Write the rules out in rewrites.', 'split_clients geoip_country'],
  ['Berth runs no Lua. Write the rules out in rewrites.', 'set_by_lua_block'],
  [
    'Berth asks visitors for no certificates.',
    'ssl_client_certificate ssl_verify_client ssl_verify_depth ssl_crl',
  ],
  [
    'Whom to believe is said in [panel] trusted_proxies.',
    'set_real_ip_from real_ip_header real_ip_recursive',
  ],
  [
    'Berth speaks FastCGI to PHP alone. Pass the path on over http.',
    'uwsgi_pass scgi_pass grpc_pass memcached_pass uwsgi_param',
  ],
  [
    'Berth changes no bodies.',
    'sub_filter sub_filter_once sub_filter_types ssi addition_types add_before_body add_after_body',
  ],
  ['Berth serves http alone.', 'stream mail'],
  ['Cookies keep the domain that the application says.', 'proxy_cookie_domain'],
  ['It is asked again for every file elsewhere; Berth asks no other service.', 'auth_request_set'],
])

/** Variables that PHP gets anyway. */
export const CGI_NAMES = new Set(
  (
    'QUERY_STRING REQUEST_METHOD CONTENT_TYPE CONTENT_LENGTH SCRIPT_FILENAME SCRIPT_NAME PATH_INFO ' +
    'PATH_TRANSLATED REQUEST_URI DOCUMENT_URI DOCUMENT_ROOT SERVER_PROTOCOL REQUEST_SCHEME HTTPS ' +
    'GATEWAY_INTERFACE SERVER_SOFTWARE REMOTE_ADDR REMOTE_PORT REMOTE_USER SERVER_ADDR SERVER_PORT ' +
    'SERVER_NAME REDIRECT_STATUS HTTP_PROXY HTTP_HOST'
  ).split(' '),
)
