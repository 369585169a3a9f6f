vcl 4.1;

backend origin {
  .host = "127.0.0.1";
  .port = "{origin}";
}

sub vcl_recv {
  # Cookies of a visitor say nothing here, and there are none.
  return (hash);
}

sub vcl_backend_response {
  set beresp.ttl = 1h;
  # Stored compressed: Varnish then hands out the stored bytes to those who accept gzip.
  if (bereq.url ~ "^/gzip/") {
    set beresp.do_gzip = true;
  }
}

sub vcl_deliver {
  if (obj.hits > 0) {
    set resp.http.X-Cache = "HIT";
  } else {
    set resp.http.X-Cache = "MISS";
  }
  unset resp.http.Via;
  unset resp.http.X-Varnish;
}
