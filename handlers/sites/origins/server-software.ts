/**
 * What scripts and rules are told of the server (RFC 3875, 4.1.17). Applications look
 * for "Apache" in it to learn whether `.htaccess` counts: WordPress then writes its
 * rules there and offers permalinks without `index.php`. The version is the one
 * whose behaviour is followed.
 */
export const SERVER_SOFTWARE = 'Apache/2.4 (Berth)'
