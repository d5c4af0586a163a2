package coopsim

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
)

// Keys returns what TLS needs from our NAME.key and the server's NAME.pub, for ConnectContext.
func Keys(own, server string) (*tls.Config, error) {
	certificate, err := tls.LoadX509KeyPair(own, own)
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(server)
	if err != nil {
		return nil, err
	}
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM(raw) {
		return nil, fmt.Errorf("%s holds no certificate", server)
	}
	return &tls.Config{Certificates: []tls.Certificate{certificate}, RootCAs: trusted, ServerName: "coopsim"}, nil
}
