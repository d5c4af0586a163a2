package coopsim

import (
	"fmt"
	"os"
	"time"
)

// MustConnect connects as Connect("", 5*time.Second) does, and ends the program when that fails.
func MustConnect() *Client {
	client, err := Connect("", 5*time.Second)
	end(err)
	return client
}

// MustAsk is Ask for programs that end with what went wrong.
func (c *Client) MustAsk(target string, command uint64, params []any, data ...float64) Message {
	reply, err := c.Ask(target, command, params, data)
	end(err)
	return reply
}

// MustState is State for programs that end with what went wrong.
func (c *Client) MustState() Message {
	state, err := c.State()
	end(err)
	return state
}

func end(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
