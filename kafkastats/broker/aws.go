package broker

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/aws"
)

// AWSCredentials finds the credentials of AWS_MSK_IAM by the options of its login module; the program sets it to
// that of package msk, which links AWS's SDK.
var AWSCredentials = func(context.Context, map[string]string) (aws.Auth, error) {
	return aws.Auth{}, errors.New("this program has no login to AWS")
}

// iam logs in to Amazon MSK. Credentials are requested at every login, because they expire.
func iam(options map[string]string) sasl.Mechanism {
	return aws.ManagedStreamingIAM(func(ctx context.Context) (aws.Auth, error) {
		a, err := AWSCredentials(ctx, options)
		if err != nil {
			return a, fmt.Errorf("AWS_MSK_IAM found no credentials (environment, profile, SSO, web identity, instance; `aws sts get-caller-identity` tells what the AWS CLI finds): %w", err)
		}
		return a, nil
	})
}
